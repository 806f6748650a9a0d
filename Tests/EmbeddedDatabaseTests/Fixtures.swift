import CallStacks
import DebugFiles
import EmbeddedDatabase
import Foundation
import Ingest
import SymbolIntake
import TestSupport

/// A data folder for one test.
final class DataFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { "\(path)/\(EmbeddedDatabase.fileName)" }

    func open() throws -> EmbeddedDatabase { try EmbeddedDatabase(folder: path) }

    /// The size of the database and its log, in bytes.
    func byteCount() throws -> Int {
        try ["", "-wal"].map { ending in
            guard FileManager.default.fileExists(atPath: file + ending) else { return 0 }
            let attributes = try FileManager.default.attributesOfItem(atPath: file + ending)
            return attributes[.size] as? Int ?? 0
        }.reduce(0, +)
    }
}

/// Runs `body` with a new database, and closes it.
func withDatabase(_ body: (EmbeddedDatabase) async throws -> Void) async throws {
    let folder = try DataFolder()
    let database = try folder.open()
    try await body(database)
    try await database.close()
}

extension UnixTime {
    /// A moment that many seconds after the beginning.
    static func at(_ seconds: Int64) -> Self { Self(rawValue: seconds * 1_000) }
}

/// A draft whose key and body follow from `number`.
func draft(
    _ number: Int, signal: Signal = .logs, size: Int = 40, at seconds: Int64? = nil
) -> JournalDraft {
    var numbers = SplitMix64(seed: UInt64(number))
    let key = EntryKey.random(using: &numbers)
    var body: [UInt8] = []
    // Eight bytes at a time: some bodies are large.
    while body.count < size {
        unsafe withUnsafeBytes(of: numbers.next()) { unsafe body += $0 }
    }
    body.removeLast(body.count - size)
    return JournalDraft(
        key: key, arrival: .at(seconds ?? Int64(number)), signal: signal, body: body)
}

func image(_ number: UInt8) -> ImageID { ImageID(bytes: [UInt8](repeating: number, count: 16))! }

func wanted(_ number: UInt8, isInApp: Bool = true) -> WantedImage {
    WantedImage(
        image: image(number), name: "Image\(number)", architecture: "arm64", isInApp: isInApp,
        frameCount: Int(number))
}

/// A diagnostic of an entry, with a name that follows from its address.
func diagnostic(
    _ entry: Int64, _ position: Int = 0, wanting images: [WantedImage] = [],
    heldUntil: Int64? = nil, at seconds: Int64? = nil
) -> DiagnosticRecord {
    var row = DiagnosticRecord(
        uid: "\(entry)-\(position)", address: RecordAddress(entry: entry, position: position),
        arrival: .at(seconds ?? entry), kind: .crash, status: images.isEmpty ? .symbolicated : .raw,
        fingerprint: "f\(entry % 3)")
    row.app = "com.example.shop"
    row.version = "1.\(entry)"
    row.build = "\(entry)"
    row.culprit = "Cart.total(for:)"
    row.frameCount = 12
    row.symbolicatedFrameCount = 4
    row.wanted = images
    row.heldUntil = heldUntil.map(UnixTime.at)
    row.state = heldUntil == nil ? .sent : .held
    return row
}

func debugFile(
    of image: ImageID, _ quality: DebugFileSummary.Quality = .full, kind: String = "dsym",
    owner: SymbolOwner = .everyone, blob: String = "a1", warnings: [String] = []
) -> StoredDebugFile {
    StoredDebugFile(
        owner: owner, image: image, architecture: "arm64", name: "Image", kind: kind,
        quality: quality, blob: blob, byteCount: 9, storedByteCount: 9, upload: .at(1),
        warnings: warnings)
}

extension EmbeddedDatabase {
    /// Records a change of an image's symbols, and marks the diagnostics that wait for it.
    ///
    /// - Returns: The number of marked diagnostics.
    func wake(
        waitingFor image: ImageID, of owner: SymbolOwner = .everyone, since oldest: UnixTime,
        due: UnixTime
    ) async throws -> Int {
        _ = try await recordChange(of: debugFile(of: image, owner: owner))
        return try await markAll(
            waitingFor: image, ResendTerms(oldest: oldest, due: due))
    }

    /// Marks the diagnostics that wait for an image whose symbols have changed.
    ///
    /// - Returns: The number of marked diagnostics.
    func markAll(waitingFor image: ImageID, _ terms: ResendTerms) async throws -> Int {
        var count = 0
        var step: AwakeningStep
        repeat {
            step = try await stepAwakening(of: image, terms)
            count += step.markedCount
        } while !step.isLast
        return count
    }
}

extension JournalEntry {
    /// The address of the diagnostic that a revision sends again.
    var address: String {
        switch RevisionReference(draft.body) {
        case .address(let address): address.description
        case .uid(let uid): uid
        }
    }
}
