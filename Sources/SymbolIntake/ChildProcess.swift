import CChildProcess
import Glibc

/// One run of a program as a child: in a process group of its own, without any descriptor of this
/// process, with bounds on time and output.
struct ChildProcess: Sendable {
    var executable: String
    var arguments: [String]
    var wallSecondsLimit: Int
    /// On its standard output.
    var outputBytesLimit: Int

    /// What is kept of its standard error: the beginning, where the first thing that went wrong is.
    static let complaintBytesLimit = 4_096

    struct Report: Sendable {
        var output: [UInt8] = []
        var complaint: [UInt8] = []
        var ending: ChildEnding
    }

    /// Runs it to its end. Cancelling the task kills it.
    func run() async -> Report {
        let handle = ChildHandle()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The kernel kills the child when the thread that started it ends, and threads of
                // the pool end when they have been idle: the child gets one that waits for it.
                let error = startThread { continuation.resume(returning: runHere(handle)) }
                if error != 0 { continuation.resume(returning: Report(ending: .notStarted(error))) }
            }
        } onCancel: {
            handle.cancel()
        }
    }

    private func runHere(_ handle: ChildHandle) -> Report {
        let output = ChildPipe()
        let complaints = ChildPipe()
        var process: pid_t = 0
        var error = output.error == 0 ? complaints.error : output.error
        if error == 0 {
            error = spawn(&process, output: output.writeEnd, complaints: complaints.writeEnd)
        }
        output.closeWriteEnd()
        complaints.closeWriteEnd()
        guard error == 0 else { return Report(ending: .notStarted(error)) }
        handle.start(process)
        return read(output, complaints, handle)
    }
}

/// A pipe that no other child inherits.
final class ChildPipe {
    let readEnd: Int32
    private(set) var writeEnd: Int32
    /// 0, or the `errno` for which there is no pipe.
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
