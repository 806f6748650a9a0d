import Foundation
import Problems
import Synchronization

/// Replies that take longer than their clients wait. They are kept until the clients request them
/// again.
final class PendingReplies: Sendable {
    enum State: Sendable {
        case running
        case finished(Result<[UInt8], any Error>)
    }

    private struct Entry {
        var caller: Caller
        var state = State.running
        var end: ContinuousClock.Instant?

        var byteCount: Int {
            guard case .finished(.success(let bytes)) = state else { return 0 }
            return bytes.count
        }

        var isRunning: Bool { end == nil }
    }

    /// The maximum number of requests in progress.
    static let limit = 200
    /// The time for which a reply is kept, and the maximum number and total size of replies. The
    /// oldest ones are removed first.
    static let keptTime = Duration.seconds(90)
    static let replyLimit = 2_000
    static let bytesLimit = 256 << 20

    private static let pause = Duration.milliseconds(10)

    private let entries = Mutex<[String: Entry]>([:])

    /// The number of requests in progress.
    var runningCount: Int { entries.withLock { Self.runningCount($0) } }

    private static func runningCount(_ entries: [String: Entry]) -> Int {
        entries.values.count(where: \.isRunning)
    }

    /// Starts work for a caller.
    ///
    /// - Returns: The identifier of the request.
    /// - Throws: A ``RequestError`` of 503 at the limit.
    func start(
        by caller: Caller, _ work: @escaping @Sendable () async throws -> [UInt8]
    ) throws -> String {
        let id = UUID().uuidString.lowercased()
        try entries.withLock { entries in
            Self.forgetOld(&entries)
            guard Self.runningCount(entries) < Self.limit else {
                throw RequestError.unavailable(
                    Problem(
                        "requests", detail: "\(Self.limit) are in progress, the limit",
                        suggestion: "send again later"),
                    retryAfter: 5)
            }
            entries[id] = Entry(caller: caller)
        }
        Task {
            let result: Result<[UInt8], any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            finish(id, result: result)
        }
        return id
    }

    /// Waits until a request of the same caller ends, for a limited time. A reply is returned once.
    ///
    /// - Returns: `nil` for an unknown request.
    func wait(for id: String, by caller: Caller, _ time: Duration) async throws -> State? {
        let deadline = ContinuousClock.now + time
        while true {
            let state = entries.withLock { entries -> State? in
                guard let entry = entries[id], entry.caller == caller else { return nil }
                if case .finished = entry.state { entries[id] = nil }
                return entry.state
            }
            guard case .running? = state, ContinuousClock.now < deadline else { return state }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func finish(_ id: String, result: Result<[UInt8], any Error>) {
        entries.withLock { entries in
            entries[id]?.state = .finished(result)
            entries[id]?.end = .now
            Self.forgetOld(&entries)
        }
    }

    private static func forgetOld(_ entries: inout [String: Entry]) {
        let now = ContinuousClock.now
        entries = entries.filter { _, entry in entry.end.map { now < $0 + keptTime } ?? true }
        var bytes = entries.values.reduce(0) { $0 + $1.byteCount }
        let ends = entries.compactMap { id, entry in entry.end.map { (id, $0) } }
        var count = ends.count
        for (id, _) in ends.sorted(by: { $0.1 < $1.1 })
        where count > replyLimit || bytes > bytesLimit {
            bytes -= entries.removeValue(forKey: id)?.byteCount ?? 0
            count -= 1
        }
    }
}
