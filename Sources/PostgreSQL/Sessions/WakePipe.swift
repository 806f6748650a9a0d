import Glibc

/// A pipe whose reading end wakes a thread that polls it.
final class WakePipe: Sendable {
    let readingEnd: Int32
    private let writingEnd: Int32

    /// - Throws: ``DatabaseError/cannotConnect(_:)`` if there are no descriptors left.
    init() throws(DatabaseError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw .cannotConnect([HostFailure(host: nil, reason: "too many open files")])
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readingEnd, writingEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readingEnd)
        close(writingEnd)
    }

    /// Wakes the thread. A full pipe wakes it as well.
    func wake() {
        var byte: UInt8 = 0
        _ = unsafe write(writingEnd, &byte, 1)
    }

    /// Removes what earlier calls of ``wake()`` wrote.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readingEnd, &bytes, bytes.count) > 0 {}
    }
}
