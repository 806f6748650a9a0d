import CChildProcess
import Glibc
import TaskCoordination

/// One run of a program as a worker process: in its own process group, without descriptors of this
/// process, with limits on time and output.
struct UploadWorkerProcess: Sendable {
    var executable: String
    var arguments: [String]
    var wallSecondsLimit: Int
    /// Limit of standard output.
    var outputBytesLimit: Int

    /// Size limit of the stored standard error: its start, which shows the first failure.
    static let errorBytesLimit = 4_096

    struct Report: Sendable {
        var output: [UInt8] = []
        var errorOutput: [UInt8] = []
        var ending: UploadWorkerTermination
    }

    /// Runs the program to its end. Cancelling the task kills it.
    func run() async -> Report {
        let handle = UploadWorkerHandle()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The kernel kills the worker when the thread that started it ends, and idle
                // threads of the pool end. So each worker has its own thread.
                let error = startThread { continuation.resume(returning: runHere(handle)) }
                if error != 0 { continuation.resume(returning: Report(ending: .notStarted(error))) }
            }
        } onCancel: {
            handle.cancel()
        }
    }

    private func runHere(_ handle: UploadWorkerHandle) -> Report {
        let output = UploadWorkerPipe()
        let errorPipe = UploadWorkerPipe()
        var process: pid_t = 0
        var error = output.error == 0 ? errorPipe.error : output.error
        if error == 0 {
            error = spawn(&process, output: output.writeEnd, errorPipe: errorPipe.writeEnd)
        }
        output.closeWriteEnd()
        errorPipe.closeWriteEnd()
        guard error == 0 else { return Report(ending: .notStarted(error)) }
        handle.start(process)
        return read(output, errorPipe, handle)
    }
}

/// A pipe that other worker processes do not inherit.
final class UploadWorkerPipe {
    let readEnd: Int32
    private(set) var writeEnd: Int32
    /// 0, or the `errno` if creating the pipe failed.
    let error: Int32

    init() {
        var (read, write): (Int32, Int32) = (-1, -1)
        error = unsafe symbolist_pipe(&read, &write)
        (readEnd, writeEnd) = (read, write)
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }

    deinit {
        closeWriteEnd()
        if readEnd >= 0 { close(readEnd) }
    }
}
