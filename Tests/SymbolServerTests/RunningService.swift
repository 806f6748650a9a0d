import CallStacks
import EmbeddedDatabase
import Foundation
import Logging
import ServiceLifecycle
import SymbolIntake
import Symbolication
import Telemetry
import TestSupport
import Testing

@testable import Ingest
@testable import SymbolServer

/// A service on free ports of this machine, with a database and symbols of its own. Its worker is
/// driven step by step.
final class RunningService: Sendable {
    let folder: URL
    let database: EmbeddedDatabase
    let storage: SymbolStorage
    let symbols: StoredSymbols
    let flow: IngestFlow
    let journal: SwitchedJournal
    let http: Int
    let grpc: Int

    private init(_ parts: TestParts, http: Int, grpc: Int) {
        folder = parts.folder.url
        database = parts.database
        storage = parts.storage
        symbols = parts.symbols
        flow = parts.flow
        journal = parts.journal
        self.http = http
        self.grpc = grpc
    }

    /// Runs the service as long as `use` takes, and stops it gracefully.
    static func run(
        ingest: IngestFlow.Settings = .unpaced,
        unpackedBytes: Int64 = 1 << 40,
        _ change: (inout ServerSettings) -> Void = { _ in },
        use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        var settings = ServerSettings(
            http: .init(host: "127.0.0.1", port: 0), grpc: .init(host: "127.0.0.1", port: 0),
            tokens: Tokens([]))
        change(&settings)
        let parts = try await TestParts(
            ingest: ingest, unpackedBytes: unpackedBytes, tokens: settings.tokens)
        let room = BodyRoom(settings)
        let (httpPort, grpcPort) = (Port(), Port())
        let services: [any Service] = [
            try GRPCListener(
                parts: parts.server, settings: settings, room: room, logger: quietLogger,
                listening: grpcPort.found),
            try HTTPListener(
                parts: parts.server, settings: settings, room: room, logger: quietLogger,
                listening: httpPort.found),
        ]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) }, logger: quietLogger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let service = RunningService(
                parts, http: await httpPort.number, grpc: await grpcPort.number)
            do { try await use(service) } catch {
                Issue.record(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        try await parts.database.close()
    }

    /// Works until nothing is left.
    func drain() async throws { while try await flow.worker.runOnce() {} }

    /// What was acknowledged.
    func entries() async throws -> [JournalEntry] {
        try await database.entries(after: 0, count: 1_000, bytes: .max)
    }

    /// What lies in the folder for uploads.
    var incoming: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: storage.folders.incoming)) ?? ["?"]
    }
}

extension IngestFlow.Settings {
    /// Nothing waits for a worker that is driven step by step.
    static var unpaced: Self {
        var settings = Self()
        settings.unworkedBytesLeast = .max
        return settings
    }

    /// Nothing is taken in while anything waits for the worker.
    static var behindAfterOne: Self {
        var settings = Self()
        settings.unworkedBytesLeast = 1
        settings.longestRequestWait = .milliseconds(1)
        return settings
    }
}

/// What a service is put together from.
struct TestParts {
    let folder: TestFolder
    let database: EmbeddedDatabase
    let journal: SwitchedJournal
    let storage: SymbolStorage
    let symbols: StoredSymbols
    let flow: IngestFlow
    let server: ServerParts

    init(
        ingest: IngestFlow.Settings = IngestFlow.Settings(), unpackedBytes: Int64 = 1 << 40,
        tokens: Tokens = Tokens([])
    ) async throws {
        folder = try TestFolder()
        database = try EmbeddedDatabase(folder: folder.url.path)
        journal = SwitchedJournal(inner: database)
        var settings = IntakeSettings(
            data: folder.url.path, childCount: 2, logger: quietLogger)
        settings.executable = executable
        settings.limits.unpackedBytes = unpackedBytes
        storage = SymbolStorage(
            settings: settings, catalogue: database,
            blobs: BlobFolder(path: folder.url.path + "/blobs"))
        try storage.prepare()
        symbols = StoredSymbols(storage)
        let symbolication = DiagnosticSymbolication(
            hasBoundTokens: tokens.areBound, symbolicator: symbols.symbolicators())
        let flow = try await IngestFlow(
            journal: journal, archive: database, catalogue: database,
            symbolication: symbolication, settings: ingest, logger: quietLogger, now: UnixTime.now)
        self.flow = flow
        let intake = BundleIntake(storage, symbols: symbols) { images in
            _ = try? await flow.lateSymbols.symbolsArrived(of: images)
        }
        server = ServerParts(
            ingest: flow, symbolication: symbolication, symbols: symbols, journal: journal,
            archive: database, figures: database, catalogue: database, intake: intake,
            removal: SymbolRemoval(storage, symbols),
            deadLetters: DeadLetterResending(archive: database, exporters: []),
            folders: storage.folders, metricsText: { metrics.exposition() })
    }
}

/// A port that is known when a server listens.
private final class Port: Sendable {
    private let stream: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    @Sendable func found(_ port: Int) { continuation.yield(port) }

    var number: Int {
        get async {
            for await port in stream { return port }
            return 0
        }
    }
}
