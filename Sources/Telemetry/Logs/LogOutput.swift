import Glibc
import Synchronization

/// A file descriptor for log lines, written with one system call per line.
///
/// A blocked log does not stop the service: if a line cannot be written, the output waits
/// ``patienceMilliseconds`` once, then drops lines without waiting until writing succeeds, and logs
/// how many were dropped. It uses `poll`, because making the descriptor non-blocking would affect
/// every process that shares it. For a pipe or a socket, the result holds for a line of
/// ``LogLine/bytesLimit``. A terminal stopped with Control-S, and a pipe that another process fills
/// in between, can still block a line.
public final class LogOutput: Sendable {
    static let patienceMilliseconds: Int32 = 100

    private let descriptor: Int32
    private let missingCount = Mutex(0)

    /// - Parameter descriptor: A descriptor owned by the caller, which must stay open.
    init(descriptor: Int32) { self.descriptor = descriptor }

    public static func standardError() -> LogOutput { LogOutput(descriptor: STDERR_FILENO) }

    /// - Parameter notice: Returns the line that reports dropped lines.
    func write(_ line: [UInt8], notice: (_ missingCount: Int) -> [UInt8]) {
        missingCount.withLock { missingCount in
            if missingCount > 0, put(notice(missingCount), patience: 0) { missingCount = 0 }
            let patience = missingCount > 0 ? 0 : Self.patienceMilliseconds
            if !put(line, patience: patience) { missingCount += 1 }
        }
    }

    private func put(_ line: [UInt8], patience: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&question, 1, patience) == 1, question.revents & Int16(POLLOUT) != 0
        else { return false }
        while true {
            let count = unsafe line.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
