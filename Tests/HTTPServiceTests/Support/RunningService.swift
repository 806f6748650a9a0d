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
@testable import HTTPService

/// A service on free ports of this machine, with its own database and symbols. Tests run its worker
/// step by step.
final class RunningService: Sendable {
    let folder: URL
    let database: EmbeddedDatabase
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes
    let flow: IngestFlow
    let journal: SwitchedJournal
    let http: Int
    let grpc: Int

    private init(_ parts: TestDependencies, http: Int, grpc: Int) {
        folder = parts.folder.url
        database = parts.database
        storage = parts.storage
        symbols = parts.symbols
        flow = parts.flow
        journal = parts.journal
        self.http = http
        self.grpc = grpc
    }

    /// Runs the service while `use` runs, and stops it gracefully.
    static func run(
        ingest: IngestFlow.Settings = .unpaced,
        unpackedBytes: Int64 = 1 << 40,
        _ change: (inout ServerSettings) -> Void = { _ in },
        use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        var settings = ServerSettings(
            http: .init(host: "127.0.0.1", port: 0), grpc: .init(host: "127.0.0.1", port: 0),
            tokens: Tokens([]))
        // Tests of timeouts set their own.
        settings.requestSeconds = 600
        change(&settings)
        let parts = try await TestDependencies(
            ingest: ingest, unpackedBytes: unpackedBytes, tokens: settings.tokens)
        let memory = RequestMemoryBudget(settings)
        let (httpPort, grpcPort) = (Port(), Port())
        let services: [any Service] = [
            try GRPCListener(
                dependencies: parts.server, settings: settings, memory: memory, logger: quietLogger,
                listening: grpcPort.found),
            try HTTPListener(
                dependencies: parts.server, settings: settings, memory: memory, logger: quietLogger,
                listening: httpPort.found),
        ]
        let group = ServiceGroup(
            configuration: .init(
                services: services.map { .init(service: $0) }, logger: quietLogger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: ServerThread()) { try await group.run() }
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

    /// Processes all waiting entries.
    func drain() async throws { try await flow.worker.drain() }

    /// The acknowledged entries.
    func entries() async throws -> [JournalEntry] {
        try await database.entries(after: 0, count: 1_000, bytes: .max)
    }

    /// The files in the folder for uploads.
    var incoming: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: storage.folders.incoming)) ?? ["?"]
    }
}

extension IngestFlow.Settings {
    /// Settings without backpressure, for a worker that runs step by step.
    static var unpaced: Self {
        var settings = Self()
        settings.unprocessedBytesMinimum = .max
        return settings
    }

    /// Settings that reject requests while any entry waits for the worker.
    static var behindAfterOne: Self {
        var settings = Self()
        settings.unprocessedBytesMinimum = 1
        settings.longestRequestWait = .milliseconds(1)
        return settings
    }
}

/// The parts of a service for tests.
struct TestDependencies {
    let folder: TestFolder
    let database: EmbeddedDatabase
    let journal: SwitchedJournal
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes
    let flow: IngestFlow
    let server: ServerDependencies

    init(
        ingest: IngestFlow.Settings = IngestFlow.Settings(), unpackedBytes: Int64 = 1 << 40,
        tokens: Tokens = Tokens([])
    ) async throws {
        folder = try TestFolder()
        database = try EmbeddedDatabase(folder: folder.url.path)
        journal = SwitchedJournal(inner: database)
        var settings = IntakeSettings(
            data: folder.url.path, workerCount: 2, logger: quietLogger)
        settings.executable = executable
        settings.limits.unpackedBytes = unpackedBytes
        storage = SymbolStorage(
            settings: settings, catalogue: database,
            blobs: BlobFolder(path: folder.url.path + "/blobs"))
        try storage.prepare()
        symbols = StoredSymbolIndexes(storage)
        let symbolication = DiagnosticSymbolication(
            hasBoundTokens: tokens.areBound, symbolicator: symbols.symbolicators())
        let flow = try await IngestFlow(
            journal: journal, archive: database, revisions: database, symbolChanges: symbols,
            symbolication: symbolication, settings: ingest, logger: quietLogger, now: UnixTime.now)
        self.flow = flow
        let intake = UploadIntake(storage, symbols: symbols) { images in
            _ = try? await flow.lateSymbols.symbolsArrived(of: images)
        }
        server = ServerDependencies(
            ingest: flow, symbolication: symbolication, symbols: symbols, journal: journal,
            archive: database, figures: database, groups: database,
            flames: MergedFlames(archive: database),
            status: OperationStatusSource(
                journal: database, groups: database, catalogue: database,
                files: storage.folders,
                databaseBytes: { [database] () throws(JournalError) in database.byteCount },
                limits: OperationStatus.Limits(
                    queueBytes: 1 << 30, diagnosticsSeconds: 30 * 86_400)),
            cluster: SingleNode(
                name: "test", version: "1.0.0", journal: journal, now: UnixTime.now),
            catalogue: database, intake: intake,
            removal: SymbolRemoval(storage, symbols: symbols),
            deadLetters: DeadLetterResender(archive: database, exporters: []),
            folders: storage.folders, metricsText: { metrics.exposition() })
    }
}

/// A port that is known once a server listens.
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
