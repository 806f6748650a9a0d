import CallStacks
import DebugFiles
import EmbeddedDatabase
import Foundation
import LogExtraction
import Logging
import MetricKitPayloads
import OTLP
import SymbolIntake
import SymbolStores
import Symbolication
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// A flow on its own database, whose worker is driven step by step.
final class IngestRig: Sendable {
    static let build = "orchard-1.4.0-arm64-release-dwarf4"

    let database: EmbeddedDatabase
    let symbols: SwitchedSymbols
    let service: IngestFlow
    let clock: TestTime
    private let settings: IngestFlow.Settings
    private let folder: URL

    /// - Parameter hasSymbols: Whether the symbols of the sample app are available from the start.
    init(
        hasSymbols: Bool = true, settings: IngestFlow.Settings = IngestFlow.Settings()
    ) async throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try EmbeddedDatabase(folder: folder.path)
        symbols = SwitchedSymbols(isOn: hasSymbols)
        clock = TestTime()
        self.settings = settings
        service = try await Self.flow(database, database, symbols, settings, clock)
    }

    private static func flow(
        _ journal: any Journal, _ database: EmbeddedDatabase, _ symbols: SwitchedSymbols,
        _ settings: IngestFlow.Settings, _ clock: TestTime
    ) async throws -> IngestFlow {
        var reader = PayloadReader()
        reader.reports = RecordReports.diagnostics
        if let contract = settings.enrichment.honeycomb { reader.aliases = contract.aliases }
        return try await IngestFlow(
            journal: journal, archive: database, revisions: database, symbolChanges: symbols,
            symbolication: DiagnosticSymbolication(
                reader: reader, symbolicator: { _ in Symbolicator(provider: symbols) }),
            settings: settings, logger: Logger(label: "test"), now: { clock.now })
    }

    /// Returns the flow of a restarted process, on the same database.
    ///
    /// - Parameters:
    ///   - changed: The settings from then on; `nil` for the same.
    ///   - journal: The journal, or `nil` for the database itself.
    func restarted(
        _ changed: IngestFlow.Settings? = nil, journal: (any Journal)? = nil
    ) async throws -> IngestFlow {
        try await Self.flow(journal ?? database, database, symbols, changed ?? settings, clock)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs the worker until there is no work left.
    func drain() async throws { try await service.worker.drain() }

    /// Returns the records that were exported after an entry.
    func records(after number: Int64 = 0) async throws -> [OTLP.LogRecord] {
        guard try await database.entries(after: number, count: 1, bytes: 1).first != nil
        else { return [] }
        return try await service.worker.results(after: number, bytes: .max, for: "test")
            .flatMap(\.batches).filter { $0.signal == .logs }
            .flatMap { try Self.records(in: $0.body) }
    }

    static func records(in body: [UInt8]) throws -> [OTLP.LogRecord] {
        try ExportLogsServiceRequest(decoding: body, as: .protobuf).resourceLogs
            .flatMap(\.scopeLogs).flatMap(\.logRecords)
    }

    /// A request of the fixtures, as protobuf. It has at least one record.
    static func request(_ name: String) throws -> ExportLogsServiceRequest {
        let request = try ExportLogsServiceRequest(decoding: fixture(name), as: .json)
        let records = try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords)
        try #require(!records.isEmpty)
        return request
    }

    static func fixture(_ name: String) throws -> [UInt8] {
        let file = projectFolder.appendingPathComponent("Fixtures/Diagnostics/\(build)/\(name)")
        return [UInt8](try Data(contentsOf: file))
    }
}

/// The symbols of the sample app, which may arrive late.
final class SwitchedSymbols: SymbolProvider {
    private let isOn: Mutex<Bool>
    private let local: LocalSymbolProvider
    private let miss = Mutex<(@Sendable (ImageID) async throws -> Void)?>(nil)
    private let requests = Mutex(0)
    private let changes = Mutex(
        (
            lastReflected: Int64(0), arriving: Set<ImageID>(),
            requested: Set<ImageID>(), awaited: Set<ImageID>()
        ))
    private let isDelayed = Mutex(false)

    init(isOn: Bool) {
        self.isOn = Mutex(isOn)
        let path = projectFolder.appendingPathComponent("Symbols/\(IngestRig.build)").path
        local = LocalSymbolProvider(SymbolInventory(paths: [path]), cachedIn: nil)
    }

    /// The number of requests for the symbols of an image.
    var requestCount: Int { requests.withLock(\.self) }

    func arrive() { isOn.withLock { $0 = true } }

    func leave() { isOn.withLock { $0 = false } }

    /// An action for each lookup that finds the image missing, before the result is returned.
    func atMiss(_ body: @escaping @Sendable (ImageID) async throws -> Void) {
        miss.withLock { $0 = body }
    }

    func symbols(for image: ImageID) async -> SymbolSupply {
        requests.withLock { $0 += 1 }
        if isOn.withLock(\.self) { return await local.symbols(for: image) }
        do { try await miss.withLock(\.self)?(image) } catch { Issue.record(error) }
        return .missing
    }
}

extension SwitchedSymbols: SymbolChanges {
    var lastReflected: Int64 { changes.withLock { $0.lastReflected } }

    func isArriving(_ image: ImageID) -> Bool { changes.withLock { $0.arriving.contains(image) } }

    func waitForDelayedIndexes(of images: Set<ImageID>, atMost limit: Duration) async {
        changes.withLock { $0.awaited.formUnion(images) }
        if isDelayed.withLock(\.self) { arrive() }
    }

    /// Makes the symbols missing until they are waited for.
    func delay() {
        leave()
        isDelayed.withLock { $0 = true }
    }

    func announceStored(
        among images: [ImageID], for access: DebugFileAccess, includingIncomplete: Bool
    ) async throws {
        changes.withLock { $0.requested.formUnion(images) }
    }

    /// The images among which stored ones were to be announced.
    var requestedAnnouncements: Set<ImageID> { changes.withLock(\.requested) }

    /// The images whose indexes were waited for.
    var awaitedIndexes: Set<ImageID> { changes.withLock(\.awaited) }

    /// Lookups from now on reflect a change.
    func reflect(_ number: Int64) {
        changes.withLock { $0.lastReflected = max($0.lastReflected, number) }
    }

    /// The images of an upload that is being processed from now on.
    func begin(_ images: [ImageID]) { changes.withLock { $0.arriving = Set(images) } }
}

/// A clock that a test advances.
final class TestTime: Sendable {
    private let time = Mutex(UnixTime(rawValue: 1_760_000_000_000))

    var now: UnixTime { time.withLock(\.self) }

    func advance(seconds: Int64) {
        time.withLock { $0 = $0.advanced(seconds: seconds) }
    }
}

extension IngestRig {
    /// Stores debug files that all apps may use, and reports the end of their upload.
    ///
    /// - Parameter flow: The flow of a restarted process, or `nil` for the first one.
    /// - Returns: The number of marked diagnostics.
    @discardableResult
    func symbolsArrived(of images: [ImageID], in flow: IngestFlow? = nil) async throws -> Int {
        try await symbolsArrived(images.map { Self.debugFile(of: $0, at: clock.now) }, in: flow)
    }

    @discardableResult
    func symbolsArrived(
        _ files: [StoredDebugFile], in flow: IngestFlow? = nil
    ) async throws -> Int {
        for file in files {
            let change = try await database.add(file, replaces: true)
            symbols.reflect(try #require(change.number))
        }
        return try await (flow ?? service).lateSymbols.symbolsArrived(of: files.map(\.image))
    }

    static func debugFile(
        of image: ImageID, quality: DebugFileSummary.Quality = .full, kind: String = "dsym",
        warnings: [String] = [], at moment: UnixTime
    ) -> StoredDebugFile {
        StoredDebugFile(
            image: image, architecture: "arm64", name: "Orchard", kind: kind, quality: quality,
            blob: image.hex, byteCount: 9, storedByteCount: 9, upload: moment, warnings: warnings)
    }
}
