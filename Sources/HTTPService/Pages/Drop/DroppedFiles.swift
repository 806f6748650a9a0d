import CallStacks
import HexadecimalDigits
import LogExtraction
import Pages
import ReportFormats
import ReportProcessing
import SymbolIntake
import Synchronization

/// The content of one drop: reports to show, and the results of its debug files.
struct DroppedFiles: Sendable {
    /// A file with reports.
    struct ReportFile: Sendable {
        var name: String
        var parsed: ParsedReportFile
    }

    /// The result of a debug file, or the reason why it was rejected.
    struct Result: Hashable, Sendable {
        var name: String
        var image: ImageID?
        var architecture: String?
        var status: String
        var reason: String?
    }

    /// The time at which all of them were read.
    var arrival = UnixTime.now()
    var reportFiles: [ReportFile] = []
    var results: [Result] = []
    var outcome = DropOutcome()
    /// The files of unknown formats, with their first lines.
    var unknown: [(name: String, lines: String)] = []

    /// An estimate of the memory that it takes, in bytes.
    var byteCount: Int {
        // Parsed frames take a few times the bytes of their file.
        reportFiles.reduce(4_096) { $0 + 4 * $1.parsed.file.bytes.count }
            + results.reduce(0) { $0 + 512 + $1.name.utf8.count }
            + unknown.reduce(0) { $0 + 128 + $1.name.utf8.count + $1.lines.utf8.count }
    }

    /// The reports of all files, in order.
    var allReports: [(file: ReportFile, report: CrashReport)] {
        reportFiles.flatMap { file in file.parsed.content.reports.map { (file, $0) } }
    }

    /// Returns a report with its file, or `nil` if the number is out of range.
    func report(_ number: Int) -> (file: ParsedReportFile, report: CrashReport)? {
        let all = allReports
        return all.indices.contains(number)
            ? (all[number].file.parsed, all[number].report) : nil
    }

    /// Whether there is nothing to show but one report.
    var isSingleReport: Bool {
        allReports.count == 1 && results.isEmpty && unknown.isEmpty
    }
}

/// Dropped reports, in memory for an hour. They are never stored.
///
/// The least recently shown ones are removed first when there are too many.
final class DropStore: Sendable {
    /// The time for which a report is kept, in seconds.
    static let lifetime: Int64 = 3_600
    private static let expiryInterval = Duration.seconds(60)

    private struct Entry {
        let files: DroppedFiles
        let owner: Caller
        var lastUse: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var byteCount = 0
        var useCount = 0

        mutating func removeExpired(at now: UnixTime) {
            for (id, entry) in entries where DropStore.isOver(entry, now) { remove(id) }
        }

        mutating func remove(_ id: String) {
            guard let entry = entries.removeValue(forKey: id) else { return }
            byteCount -= entry.files.byteCount
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The maximum memory, in bytes. The newest drop is kept even if it is
    ///   larger.
    init(limit: Int) { self.limit = limit }

    /// Keeps a drop.
    ///
    /// - Returns: Its identifier of 128 random bits.
    func add(_ files: DroppedFiles, of owner: Caller) -> String {
        let id = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
        state.withLock { state in
            state.removeExpired(at: files.arrival)
            state.useCount += 1
            state.entries[id] = Entry(files: files, owner: owner, lastUse: state.useCount)
            state.byteCount += files.byteCount
            while state.byteCount > limit, state.entries.count > 1,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.remove(oldest.key)
            }
        }
        return id
    }

    /// Returns a drop of the caller, or `nil` if it is unknown, expired, or another caller's.
    func files(_ id: String, for caller: Caller, now: UnixTime) -> DroppedFiles? {
        state.withLock { state in
            state.removeExpired(at: now)
            guard let entry = state.entries[id], entry.owner == caller else { return nil }
            state.useCount += 1
            state.entries[id]?.lastUse = state.useCount
            return entry.files
        }
    }

    /// The memory that all drops take, in bytes.
    var byteCount: Int { state.withLock(\.byteCount) }

    /// Removes expired drops.
    func removeExpired(at now: UnixTime) { state.withLock { $0.removeExpired(at: now) } }

    /// Runs `body`, and removes expired drops while it runs.
    func expiring(whileRunning body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    self.removeExpired(at: .now())
                    try? await Task.sleep(for: Self.expiryInterval)
                }
            }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// Removes a drop of the caller.
    func forget(_ id: String, for caller: Caller) {
        state.withLock { state in
            if state.entries[id]?.owner == caller { state.remove(id) }
        }
    }

    private static func isOver(_ entry: Entry, _ now: UnixTime) -> Bool {
        entry.files.arrival.advanced(seconds: lifetime) <= now
    }
}
