import CChildProcess
import Foundation
import Glibc
import Problems
import SymbolStores

/// The sandbox limits of a worker process that reads an upload.
public struct UploadWorkerLimits: Hashable, Sendable {
    /// Memory limit in bytes, not counting the program itself and the mapped file.
    public var memoryBytes: Int64 = 2 << 30
    /// CPU time limit, in seconds.
    public var processorSeconds = 300
    /// Time limit from start to end, in seconds.
    public var wallSeconds = 1_800
    /// Size limit for each file it writes, in bytes.
    public var fileBytes: Int64 = 16 << 30
    /// Size limit for the contents of an archive, in bytes.
    public var unpackedBytes: Int64 = 64 << 30
    /// Number of threads that a worker may use for reading.
    public var threads = 4

    /// Limit of open files.
    static let openFilesLimit = 256
    /// Time between the catchable signal at the CPU time limit and `SIGKILL`.
    private static let graceSeconds = 5

    public init() {}

    /// Applies the limits to the calling process, and makes it end when `parent` ends.
    ///
    /// - Parameter mappedBytes: The size of the largest file it may map, as address space.
    public func apply(parent: Int32, mappedBytes: Int64) throws {
        guard symbolist_die_with_parent(parent) else { throw UploadWorkerFailure.orphaned }
        let present = Self.present
        let memory = UInt64(clamping: memoryBytes)
        // RLIMIT_DATA counts writable memory, so it is effective even if large files are mapped.
        // RLIMIT_AS limits the rest, and all memory on kernels that do not enforce the former.
        try Self.limit(RLIMIT_DATA, soft: present.dataBytes + memory)
        try Self.limit(RLIMIT_AS, soft: present.allBytes + memory + UInt64(clamping: mappedBytes))
        try Self.limit(
            RLIMIT_CPU, soft: UInt64(processorSeconds),
            hard: UInt64(processorSeconds + Self.graceSeconds))
        try Self.limit(RLIMIT_FSIZE, soft: UInt64(clamping: fileBytes))
        try Self.limit(RLIMIT_NOFILE, soft: UInt64(Self.openFilesLimit))
        try Self.limit(RLIMIT_CORE, soft: 0)
        // Requests to the service have priority.
        _ = nice(Self.niceness)
    }

    private static let niceness: Int32 = 5

    private static func limit(
        _ resource: __rlimit_resource, soft: UInt64, hard: UInt64? = nil
    ) throws {
        var limits = rlimit()
        let number = __rlimit_resource_t(resource.rawValue)
        guard unsafe getrlimit(number, &limits) == 0 else { throw failure(errno) }
        // A process cannot raise its own hard limit.
        limits.rlim_max = min(limits.rlim_max, rlim_t(hard ?? soft))
        limits.rlim_cur = min(limits.rlim_max, rlim_t(soft))
        guard unsafe setrlimit(number, &limits) == 0 else { throw failure(errno) }
    }

    private static func failure(_ number: Int32) -> StorageError {
        StorageError(
            Problem(
                "upload worker", detail: "cannot limit its resources: \(systemMessage(number))",
                suggestion: "check the resource limits of the service"))
    }

    /// The address space already in use, most of it the program's own file.
    private static var present: (allBytes: UInt64, dataBytes: UInt64) {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(whereSeparator: \.isWhitespace).map { UInt64($0) ?? 0 }
        guard pages.count > 5 else { return (0, 0) }
        let size = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        return (pages[0] * size, pages[5] * size)
    }
}

extension UploadWorkerLimits {
    /// Returns the limits as arguments for a worker process.
    func arguments(mappedBytes: Int64) -> [String] {
        [
            "--mapped-bytes=\(mappedBytes)",
            "--memory-bytes=\(memoryBytes)", "--processor-seconds=\(processorSeconds)",
            "--file-bytes=\(fileBytes)", "--unpacked-bytes=\(unpackedBytes)",
            "--threads=\(threads)", "--parent=\(getpid())",
        ]
    }
}
