import CChildProcess
import Foundation
import Glibc

/// What a child that reads an upload may take.
public struct ChildLimits: Hashable, Sendable {
    /// Memory beside the program itself and the mapped file, in bytes.
    public var memoryBytes: Int64 = 2 << 30
    public var processorSeconds = 300
    /// From start to end, in seconds.
    public var wallSeconds = 1_800
    /// Of the largest file that it writes, in bytes.
    public var fileBytes: Int64 = 16 << 30
    /// Of all that an archive holds, in bytes.
    public var unpackedBytes: Int64 = 64 << 30
    /// Threads that one child may read with.
    public var threads = 4

    /// Files that it may have open.
    static let openFilesLimit = 256
    /// Between the signal that a child could catch at the limit of processor time and the one that
    /// it cannot.
    private static let graceSeconds = 5

    public init() {}

    /// Puts the limits into force in the process that calls it, and ties its life to `parent`.
    ///
    /// - Parameter mappedBytes: The size of the largest file that it may map, which takes address
    ///   space and no memory.
    public func apply(parent: Int32, mappedBytes: Int64) throws {
        guard symbolist_die_with_parent(parent) else { throw ChildFailure.orphaned }
        let present = Self.present
        let memory = UInt64(clamping: memoryBytes)
        // The first counts what is written to, so it holds where large files are mapped; the second
        // all the rest, also where a kernel does not count the first.
        try Self.limit(RLIMIT_DATA, present.dataBytes + memory)
        try Self.limit(RLIMIT_AS, present.allBytes + memory + UInt64(clamping: mappedBytes))
        try Self.limit(
            RLIMIT_CPU, UInt64(processorSeconds), UInt64(processorSeconds + Self.graceSeconds))
        try Self.limit(RLIMIT_FSIZE, UInt64(clamping: fileBytes))
        try Self.limit(RLIMIT_NOFILE, UInt64(Self.openFilesLimit))
        try Self.limit(RLIMIT_CORE, 0)
        // Whoever waits for an answer of the service goes first.
        _ = nice(Self.niceness)
    }

    private static let niceness: Int32 = 5

    private static func limit(
        _ resource: __rlimit_resource, _ soft: UInt64, _ hard: UInt64? = nil
    ) throws {
        var limits = rlimit()
        let number = __rlimit_resource_t(resource.rawValue)
        guard unsafe getrlimit(number, &limits) == 0 else { throw FileFailure("limit") }
        // What was allowed before cannot be exceeded.
        limits.rlim_max = min(limits.rlim_max, rlim_t(hard ?? soft))
        limits.rlim_cur = min(limits.rlim_max, rlim_t(soft))
        guard unsafe setrlimit(number, &limits) == 0 else { throw FileFailure("limit") }
    }

    /// The address space in use by now, which is mostly the program's own file.
    private static var present: (allBytes: UInt64, dataBytes: UInt64) {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(whereSeparator: \.isWhitespace).map { UInt64($0) ?? 0 }
        guard pages.count > 5 else { return (0, 0) }
        let size = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        return (pages[0] * size, pages[5] * size)
    }
}

extension ChildLimits {
    /// As a child is told them.
    func arguments(mappedBytes: Int64) -> [String] {
        [
            "--mapped-bytes=\(mappedBytes)",
            "--memory-bytes=\(memoryBytes)", "--processor-seconds=\(processorSeconds)",
            "--file-bytes=\(fileBytes)", "--unpacked-bytes=\(unpackedBytes)",
            "--threads=\(threads)", "--parent=\(getpid())",
        ]
    }
}
