import CallStacks
import DebugFiles
import FoundationEssentials

/// What folders and files turned out to hold, so that they need not be read again.
///
/// A finding belongs to one state of a folder or file: its place, size, and times of change. What is
/// replaced, rewritten or touched is in another state, of which nothing is known. A state younger
/// than the clocks of file systems are fine is not remembered, for it may change and look the same.
struct InventoryMemory {
    enum Finding: Hashable, Sendable {
        case folder(names: [String])
        /// - slices: `nil` where they were not read, or not all could be.
        case file(FileStart, slices: [Slice]?)
    }

    /// A slice of a debug file, by what its headers say.
    struct Slice: Hashable, Sendable {
        let image: ImageID?
        let architecture: Architecture
        let byteCount: Int
        let hasDebugInformation: Bool
        let splitUnits: SplitUnitsKind?
    }

    private var places: [FileStatus: Int] = [:]
    private var findings: [(status: FileStatus, finding: Finding, isUsed: Bool)] = []
    /// States that changed since, in seconds since 1970, are not remembered; `nil` for none at all.
    private let latestChange: Int64?
    /// How many findings it was made of.
    private let givenCount: Int
    /// How much it holds that was not in it when it was made.
    private(set) var learnedCount = 0

    /// The coarsest clock of a file system that is in use, FAT's, ticks every two seconds.
    private static let settlingSeconds: Int64 = 3

    /// A memory that keeps nothing.
    init() {
        latestChange = nil
        givenCount = 0
    }

    /// - Parameter now: In seconds since 1970; the search must not have begun yet.
    init(of findings: [(FileStatus, Finding)], now: Int64) {
        latestChange = now - Self.settlingSeconds
        givenCount = findings.count
        self.findings = findings.map { (status: $0, finding: $1, isUsed: false) }
        places = Dictionary(
            findings.enumerated().map { ($0.element.0, $0.offset) }, uniquingKeysWith: { $1 })
    }

    /// What this run asked for, and so what the next one will.
    var usedFindings: [(FileStatus, Finding)] {
        findings.lazy.filter(\.isUsed).map { ($0.status, $0.finding) }
    }

    /// Whether the next run would be better off with it than with what it was made of. A few files that
    /// change all the time are sooner read again than a large memory is written.
    var isWorthKeeping: Bool {
        let unusedCount = findings.lazy.filter { !$0.isUsed }.count
        return learnedCount > findings.count / Self.writingShare || unusedCount > findings.count / 2
    }

    /// One in so many findings has to be new.
    private static let writingShare = 64

    /// The names in a folder, in order.
    mutating func names(
        in folder: String, _ status: FileStatus
    ) throws(SymbolStoreError) -> [String] {
        if case .folder(let names) = recall(status) { return names }
        let names = try folderEntries(of: folder)
        learn(.folder(names: names), of: status)
        return names
    }

    /// What a file begins as.
    mutating func start(
        of path: String, _ status: FileStatus
    ) throws(SymbolStoreError) -> FileStart {
        if case .file(let start, _) = recall(status) { return start }
        let start = try FileStart(of: path)
        learn(.file(start, slices: nil), of: status)
        return start
    }

    /// The slices of a debug file, if they are known and nothing was wrong with them.
    mutating func slices(of status: FileStatus) -> [Slice]? {
        if case .file(_, let slices) = recall(status) { slices } else { nil }
    }

    mutating func learn(_ slices: [Slice], of status: FileStatus) {
        learn(.file(.debugFile, slices: slices), of: status)
    }

    private mutating func recall(_ status: FileStatus) -> Finding? {
        guard let place = places[status] else { return nil }
        findings[place].isUsed = true
        return findings[place].finding
    }

    private mutating func learn(_ finding: Finding, of status: FileStatus) {
        guard let latestChange,
            max(status.modifiedSeconds, status.changedSeconds) < latestChange
        else { return }
        if let place = places[status] {
            findings[place] = (status, finding, true)
            if place < givenCount { learnedCount += 1 }
        } else {
            learnedCount += 1
            places[status] = findings.count
            findings.append((status, finding, true))
        }
    }
}
