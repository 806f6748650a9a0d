import Foundation
import Glibc
import SymbolStores

/// Removes half-unpacked archives from the cache when `SIGINT` or `SIGTERM` ends a run.
///
/// The handler only writes to a pipe, because little else is allowed in a signal handler
/// (`signal-safety(7)`). A thread that reads the pipe does the work.
enum Interruption {
    static func cleanUp(_ archives: ArchiveFolder?) {
        guard let archives, let pipe else { return }
        Thread.detachNewThread {
            var byte: UInt8 = 0
            guard unsafe read(pipe.readEnd, &byte, 1) == 1 else { return }
            archives.removeDrafts()
            // Lets the signal end the process, so that the shell sees it.
            signal(Int32(byte), SIG_DFL)
            kill(getpid(), Int32(byte))
        }
        // A script's background commands are started with these signals ignored.
        for number in [SIGINT, SIGTERM] where !isIgnored(number) {
            signal(number) { number in
                guard let pipe = Interruption.pipe else { return }
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(pipe.writeEnd, &byte, 1)
            }
        }
    }

    /// The pipe, or `nil` if the process has no free file descriptors.
    private static let pipe: (readEnd: Int32, writeEnd: Int32)? = {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
        return handler == ignoring
    }
}
