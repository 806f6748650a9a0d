import CallStacks
import DebugFiles
import FoundationEssentials

/// A cache of folder listings and file headers.
///
/// A finding is valid for one state of a folder or file: its inode, size, and change times.
/// Replacing, rewriting or touching the file changes the state. A state that is more recent than
/// the resolution of file system clocks is not cached, because the file could change without a
/// visible difference.
struct FileHeaderCache {
    enum Finding: Hashable, Sendable {
        case folder(names: [String])
        /// - slices: The slices, or `nil` if they were not all read.
        case file(FileSignature, slices: [Slice]?)
    }

    /// The headers of a slice of a debug file.
    struct Slice: Hashable, Sendable {
        let image: ImageID?
        let architecture: Architecture
        let byteCount: Int
        let hasDebugInformation: Bool
        /// The kind of split units in it to which other files refer.
        let splitUnits: SplitUnitsKind?
    }

    private var indices: [FileStatus: Int] = [:]
    private var findings: [(status: FileStatus, finding: Finding, isUsed: Bool)] = []
    /// The time in seconds since 1970 after which changed states are not cached, or `nil` to cache
    /// none.
    private let latestChange: Int64?
    /// The number of findings at the start.
    private let givenCount: Int
    /// The number of findings added since.
    private(set) var learnedCount = 0

    /// More than the coarsest resolution of file times, FAT's two seconds.
    private static let settlingSeconds: Int64 = 3

    /// Creates a cache that stores nothing.
    init() {
        latestChange = nil
        givenCount = 0
    }

    /// - Parameter now: The time before the search starts, in seconds since 1970.
    init(of findings: [(FileStatus, Finding)], now: Int64) {
        latestChange = now - Self.settlingSeconds
        givenCount = findings.count
        self.findings = findings.map { (status: $0, finding: $1, isUsed: false) }
        indices = Dictionary(
            findings.enumerated().map { ($0.element.0, $0.offset) }, uniquingKeysWith: { $1 })
    }

    /// The findings that this run used, which the next run will probably need.
    var usedFindings: [(FileStatus, Finding)] {
        findings.lazy.filter(\.isUsed).map { ($0.status, $0.finding) }
    }

    /// Whether enough findings are new to store the cache. Reading a few files that change all the
    /// time is faster than writing a large cache.
    var isWorthKeeping: Bool {
        let unusedCount = findings.lazy.filter { !$0.isUsed }.count
        return learnedCount > findings.count / Self.writingShare || unusedCount > findings.count / 2
    }

    /// The cache is stored if one in this many findings is new.
    private static let writingShare = 64

    /// Returns the names in a folder, in order.
    mutating func names(
        in folder: String, status: FileStatus
    ) throws(SymbolStoreError) -> [String] {
        if case .folder(let names) = recall(status) { return names }
        let names = try folderEntries(of: folder)
        learn(.folder(names: names), of: status)
        return names
    }

    /// Returns the kind of a file by its first bytes.
    mutating func start(
        of path: String, _ status: FileStatus
    ) throws(SymbolStoreError) -> FileSignature {
        if case .file(let start, _) = recall(status) { return start }
        let start = try FileSignature(of: path)
        learn(.file(start, slices: nil), of: status)
        return start
    }

    /// Returns the slices of a debug file, or `nil` if they are not cached or have problems.
    mutating func slices(of status: FileStatus) -> [Slice]? {
        if case .file(_, let slices) = recall(status) { slices } else { nil }
    }

    mutating func learn(_ slices: [Slice], of status: FileStatus) {
        learn(.file(.debugFile, slices: slices), of: status)
    }

    private mutating func recall(_ status: FileStatus) -> Finding? {
        guard let index = indices[status] else { return nil }
        findings[index].isUsed = true
        return findings[index].finding
    }

    private mutating func learn(_ finding: Finding, of status: FileStatus) {
        guard let latestChange,
            max(status.modifiedSeconds, status.changedSeconds) < latestChange
        else { return }
        if let index = indices[status] {
            findings[index] = (status, finding, true)
            if index < givenCount { learnedCount += 1 }
        } else {
            learnedCount += 1
            indices[status] = findings.count
            findings.append((status, finding, true))
        }
    }
}
