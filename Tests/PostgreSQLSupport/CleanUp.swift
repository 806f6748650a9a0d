import Foundation

/// Runs a shell command when the test process ends, whether it exits or crashes.
///
/// A shell waits for the end of a pipe that only this process holds open.
final class CleanUp: Sendable {
    private let writingEnd: FileHandle

    init(_ command: String) throws {
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cat > /dev/null; \(command)"]
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        writingEnd = pipe.fileHandleForWriting
        _ = fcntl(writingEnd.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Runs the command now. Later calls do nothing.
    func run() { try? writingEnd.close() }

    deinit { run() }
}
