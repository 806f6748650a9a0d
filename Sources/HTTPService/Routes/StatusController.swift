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

    @Sendable private func status(_ request: Request, _ context: HTTPRequestContext) async throws
        -> Response
    {
        try .json(StatusJSON(try await source.status(app: context.caller.app), now: .now()))
    }
}

private struct StatusJSON: Encodable {
    let queue: Queue?
    let worker: Worker?
    let exporters: [Exporter]?
    let store: Store?
    let coverage: [Coverage]
    let refusedUploads: [Refusal]

    init(_ status: OperationStatus, now: UnixTime) {
        queue = status.shared.map { Queue($0.queue, now: now) }
        worker = status.shared.map { Worker(waitingBytes: $0.worker.bytes) }
        exporters = status.shared?.exporters.map { Exporter($0, now: now) }
        store = status.shared.map {
            Store(symbolBytes: $0.store.symbolBytes, freeBytes: $0.store.freeBytes)
        }
        coverage = status.coverage.map(Coverage.init)
        refusedUploads = status.refusals.map(Refusal.init)
    }

    struct Queue: Encodable {
        let requests: Int64
        let bytes: Int64
        @ExplicitNull var oldestSeconds: Double?

        init(_ backlog: Backlog, now: UnixTime) {
            requests = backlog.count
            bytes = backlog.bytes
            oldestSeconds = backlog.oldest.map {
                Double(max(now.rawValue - $0.rawValue, 0)) / 1_000
            }
        }
    }

    struct Worker: Encodable { let waitingBytes: Int64 }

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
        let symbolBytes: Int64
        @ExplicitNull var freeBytes: Int64?
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
