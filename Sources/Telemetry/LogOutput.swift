import Glibc
import Synchronization

/// A file descriptor that lines of the log are written to, one write a line.
///
/// A log that nobody reads does not stop the service: when there is no room for a line it waits for
/// ``patienceMilliseconds``, once, then leaves lines out without waiting until there is room again,
/// and says how many are missing. Room is asked for with `poll`, because making the descriptor
/// non-blocking would make it so for every process that shares it. For a pipe or a socket the answer
/// holds for a line of ``LogLine/bytesLimit``. A terminal that was stopped with Control-S, and a
/// pipe that another process fills in between, can still hold up a line.
public final class LogOutput: Sendable {
    static let patienceMilliseconds: Int32 = 100

    private let descriptor: Int32
    private let missingCount = Mutex(0)

    /// - Parameter descriptor: Stays the caller's, and open for as long as this lives.
    init(descriptor: Int32) { self.descriptor = descriptor }

    public static func standardError() -> LogOutput { LogOutput(descriptor: STDERR_FILENO) }

    /// - Parameter notice: The line that says how many are missing.
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
