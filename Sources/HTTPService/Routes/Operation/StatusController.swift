import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import SymbolIntake

/// The status of the service: its queues, exporters and storage, and the share of symbolicated
/// frames.
struct StatusController {
    let source: OperationStatusSource

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/status", use: status)
    }

    @Sendable private func status(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let now = UnixTime.now()
        return try .json(
            StatusJSON(try await source.status(app: context.caller.app, now: now), now: now))
    }
}

private struct StatusJSON: Encodable {
    let queue: Queue?
    let worker: Worker?
    let exporters: [Exporter]?
    let store: Store?
    let lastDay: Recent
    let coverage: [Coverage]
    let refusedUploads: [Refusal]

    init(_ status: OperationStatus, now: UnixTime) {
        queue = status.shared.map {
            Queue($0.queue, limitBytes: $0.limits.queueBytes, now: now)
        }
        worker = status.shared.map {
            Worker(
                waitingBytes: $0.worker.bytes,
                oldestSeconds: $0.worker.oldest?.age(at: now))
        }
        exporters = status.shared?.exporters.map { Exporter($0, now: now) }
        store = status.shared.map {
            Store(
                databaseBytes: $0.store.databaseBytes, symbolBytes: $0.store.symbolBytes,
                indexBytes: $0.store.indexBytes, freeBytes: $0.store.freeBytes,
                keptSeconds: $0.limits.diagnosticsSeconds)
        }
        lastDay = Recent(
            symbolicated: status.recent[.symbolicated] ?? 0,
            partial: status.recent[.partial] ?? 0, raw: status.recent[.raw] ?? 0)
        coverage = status.coverage.map(Coverage.init)
        refusedUploads = status.refusals.map(Refusal.init)
    }

    struct Queue: Encodable {
        let requests: Int64
        let bytes: Int64
        @ExplicitNull var oldestSeconds: Double?
        /// The size limit, set only for the whole queue.
        let limitBytes: Int64?

        init(_ backlog: Backlog, limitBytes: Int64? = nil, now: UnixTime) {
            requests = backlog.count
            bytes = backlog.bytes
            oldestSeconds = backlog.oldest?.age(at: now)
            self.limitBytes = limitBytes
        }
    }

    struct Worker: Encodable {
        let waitingBytes: Int64
        @ExplicitNull var oldestSeconds: Double?
    }

    struct Recent: Encodable {
        let symbolicated: Int
        let partial: Int
        let raw: Int
    }

    struct Exporter: Encodable {
        let name: String
        let state: String
        let failedAttempts: Int
        @ExplicitNull var lastError: String?
        @ExplicitNull var lastErrorAt: String?
        @ExplicitNull var lastSuccessAt: String?
        let waiting: Queue
        let deadLetters: Int

        init(_ exporter: OperationStatus.ExporterStatus, now: UnixTime) {
            name = exporter.name
            state = exporter.state.rawValue
            failedAttempts = exporter.requests.failedAttempts
            lastError = exporter.requests.lastError
            lastErrorAt = exporter.requests.lastErrorTime?.text
            lastSuccessAt = exporter.requests.lastSuccess?.text
            waiting = Queue(exporter.waiting, now: now)
            deadLetters = exporter.deadLetterCount
        }
    }

    struct Store: Encodable {
        let databaseBytes: Int64
        let symbolBytes: Int64
        let indexBytes: Int64
        @ExplicitNull var freeBytes: Int64?
        /// The time for which diagnostics are kept, in seconds.
        let keptSeconds: Int64
    }

    struct Coverage: Encodable {
        @ExplicitNull var app: String?
        @ExplicitNull var version: String?
        let diagnostics: Int
        let frames: Int
        let symbolicatedFrames: Int

        init(_ coverage: VersionCoverage) {
            app = coverage.app
            version = coverage.version
            diagnostics = coverage.diagnosticCount
            frames = coverage.frameCount
            symbolicatedFrames = coverage.symbolicatedFrameCount
        }
    }

    struct Refusal: Encodable {
        let name: String
        let reason: String
        let refusedAt: String
        @ExplicitNull var app: String?
        @ExplicitNull var version: String?
        @ExplicitNull var build: String?

        init(_ refusal: UploadRefusal) {
            name = refusal.name
            reason = refusal.reason
            refusedAt = refusal.time.text
            app = refusal.app
            version = refusal.version
            build = refusal.build
        }
    }
}

extension UnixTime {
    /// Returns the seconds since this time, at least 0.
    fileprivate func age(at now: UnixTime) -> Double {
        Double(max(now.rawValue - rawValue, 0)) / 1_000
    }
}
