import Foundation
import Problems
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// Uploads in parts to a server that fails at some step.
@Suite("Multipart uploads", .ownThreads, .timeLimit(.minutes(10)))
struct MultipartTests {
    private static let started =
        "<InitiateMultipartUploadResult><UploadId>a/b</UploadId></InitiateMultipartUploadResult>"
    private static let completed = "<CompleteMultipartUploadResult/>"
    private static let settings = {
        var settings = BucketSettings.small
        settings.partBytes = 100_000
        settings.partsAtOnce = 3
        return settings
    }()

    /// The step of an upload that a request belongs to.
    private enum Step: Equatable {
        case start, part(Int), complete, abort, status

        var isPart: Bool { if case .part = self { true } else { false } }

        init?(_ request: FakeServer.Request) {
            let query = request.uri.split(separator: "?").dropFirst().first ?? ""
            switch (request.method, query) {
            case ("POST", "uploads="): self = .start
            case ("POST", "uploadId=a%2Fb"): self = .complete
            case ("DELETE", "uploadId=a%2Fb"): self = .abort
            case ("HEAD", ""): self = .status
            default:
                let number = query.split(separator: "&").first?.dropFirst("partNumber=".count)
                guard let number = number.flatMap({ Int($0) }) else { return nil }
                self = .part(number)
            }
        }
    }

    private static func reply(to step: Step?) -> FakeServer.Reply {
        switch step {
        case .start: .xml(200, started)
        case .part(let number): .respond(200, ["etag": "\"<\(number)>\""])
        case .complete: .xml(200, completed)
        case .abort: .respond(204)
        case .status, nil: .respond(404)
        }
    }

    /// Uploads a file of 950,000 bytes, and returns the error.
    private func upload(
        _ fault: @escaping @Sendable (Step, Int) -> FakeServer.Reply?
    ) async throws -> (error: ObjectStorageError?, steps: [Step], FakeServer.Request?) {
        let key = try ObjectKey.test("object")
        let folder = try TestFolder()
        let file = try folder.write(randomBytes(950_000, seed: 3), to: "file")
        let counts = Mutex<[String: Int]>([:])
        return try await FakeServer.run { request, _ in
            let step = Step(request)
            let count = counts.withLock { counts in
                counts["\(String(describing: step))", default: 0] += 1
                return counts["\(String(describing: step))", default: 0]
            }
            return step.flatMap { fault($0, count) } ?? Self.reply(to: step)
        } _: { server in
            try await withBucket(at: server.url, settings: Self.settings) { bucket in
                let error = await failure { try await bucket.upload(fileAt: file, as: key) }
                let complete = server.requests.last { Step($0) == .complete }
                return (error, server.requests.compactMap { Step($0) }, complete)
            }
        }
    }

    /// A server may see a cancelled part after the request that aborts the upload, because they use
    /// different connections.
    private func stepsBesideParts(_ steps: [Step]) -> [Step] { steps.filter { !$0.isPart } }

    @Test("a file is sent in parts, whose tags are in order")
    func parts() async throws {
        let (error, steps, complete) = try await upload { _, _ in nil }
        #expect(error == nil)
        #expect(steps.first == .start)
        #expect(steps.last == .complete)
        for number in 1...10 { #expect(steps.count { $0 == .part(number) } == 1) }
        let body = String(decoding: try #require(complete).body, as: UTF8.self)
        let tags = try XMLReader.document(Array(body.utf8)).all("Part").map { $0["ETag"]?.text }
        #expect(tags == (1...10).map { "\"<\($0)>\"" })
    }

    @Test("a part that fails for a while is sent again")
    func partAgain() async throws {
        let (error, steps, _) = try await upload { step, count in
            step == .part(4) && count < 3 ? .error(500, "InternalError") : nil
        }
        #expect(error == nil)
        #expect(steps.count { $0 == .part(4) } == 3)
        #expect(!steps.contains(.abort))
    }

    @Test("an upload with a part that stays refused is aborted")
    func partRefused() async throws {
        let (error, steps, _) = try await upload { step, _ in
            step == .part(2) ? .error(403, "AccessDenied") : nil
        }
        #expect(error?.reason == .accessDenied)
        #expect(stepsBesideParts(steps) == [.start, .abort])
    }

    @Test("a part without a tag ends the upload")
    func noTag() async throws {
        let (error, steps, _) = try await upload { step, _ in
            step == .part(1) ? .respond(200) : nil
        }
        #expect(error?.reason == .malformedResponse)
        #expect(stepsBesideParts(steps) == [.start, .abort])
    }

    @Test("success with an error in the body is an error")
    func errorInSuccess() async throws {
        let (error, steps, _) = try await upload { step, _ in
            step == .complete ? .error(200, "InvalidPart") : nil
        }
        #expect(error?.reason == .refused(status: 200))
        #expect(error?.description.contains("responded 200 (InvalidPart)") == true)
        #expect(steps.suffix(2) == [.complete, .abort])
    }

    @Test("success with an error in the body that may pass is sent again")
    func passingErrorInSuccess() async throws {
        let (error, steps, _) = try await upload { step, count in
            step == .complete && count == 1 ? .error(200, "InternalError") : nil
        }
        #expect(error == nil)
        #expect(steps.count { $0 == .complete } == 2)
    }

    @Test(
        "an upload whose completion was lost on the way is complete if the object has its size",
        arguments: [
            950_000, 949_999,
        ])
    func lostCompletion(size: Int) async throws {
        let (error, _, _) = try await upload { step, count in
            switch step {
            case .complete: count == 1 ? .hangUp : .error(404, "NoSuchUpload")
            case .status: .respond(200, body: [UInt8](repeating: 0, count: size))
            default: nil
            }
        }
        #expect((error == nil) == (size == 950_000))
    }

    @Test(
        "an upload whose start has no ID is an error",
        arguments: [
            "<InitiateMultipartUploadResult/>", "<Error><Code>AccessDenied</Code></Error>", "",
        ])
    func noID(document: String) async throws {
        let (error, steps, _) = try await upload { step, _ in
            step == .start ? .xml(200, document) : nil
        }
        #expect(error != nil)
        #expect(steps == [.start])
    }

    @Test("a cancelled upload is aborted")
    func cancelled() async throws {
        let key = try ObjectKey.test("object")
        let folder = try TestFolder()
        let file = try folder.write(randomBytes(950_000, seed: 3), to: "file")
        try await FakeServer.run { request, _ in
            if case .part = Step(request) { return .silence }
            return Self.reply(to: Step(request))
        } _: { server in
            try await withBucket(at: server.url, settings: Self.settings) { bucket in
                let task = Task { try await bucket.upload(fileAt: file, as: key) }
                #expect(await eventually { server.requests.count == 4 })
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(server.requests.last.flatMap { Step($0) } == .abort)
            }
        }
    }

    @Test("no more parts are under way than allowed")
    func width() async throws {
        let key = try ObjectKey.test("object")
        let folder = try TestFolder()
        let file = try folder.write(randomBytes(950_000, seed: 3), to: "file")
        try await FakeServer.run { request, _ in
            if case .part = Step(request) { return .silence }
            return Self.reply(to: Step(request))
        } _: { server in
            try await withBucket(at: server.url, settings: Self.settings) { bucket in
                let task = Task { try await bucket.upload(fileAt: file, as: key) }
                #expect(await eventually { server.requests.count == 4 })
                // More would arrive at once.
                try await Task.sleep(for: .milliseconds(300))
                #expect(server.requests.count == 4)
                task.cancel()
                _ = try? await task.value
            }
        }
    }
}
