import CallStacks
import TestSupport

/// Clients that send all signals and symbols to a service until they are cancelled, and record what
/// it acknowledges.
struct Load: Sendable {
    let client: Client
    /// The ledgers, one for each receiver.
    let ledgers: [Ledger]
    /// A number that distinguishes the records and libraries of this load from those of others.
    let number: UInt64

    /// Sends until the task is cancelled. A client whose connection breaks cannot know whether its
    /// request was stored, so it does not count the request.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for part in UInt64(0)..<3 { group.addTask { await send(part) } }
            group.addTask { await upload() }
        }
    }

    private func send(_ part: UInt64) async {
        var numbers = SplitMix64(seed: number << 8 | part)
        var count: UInt64 = 0
        while !Task.isCancelled {
            count += 1
            do {
                let name = "\(number)-\(part)-\(count)"
                switch count % 8 {
                case 0: try await sendPayload(number << 24 | part << 20 | count)
                case 3:
                    let ids = ["\(name)-span-0", "\(name)-span-1"]
                    try await send(ids, Requests.spans(ids), to: "/v1/traces")
                case 6:
                    let ids = ["\(name)-gauge-0", "\(name)-gauge-1"]
                    try await send(ids, Requests.gauges(ids), to: "/v1/metrics")
                default: try await sendLogs(name, using: &numbers)
                }
                try await Task.sleep(for: .milliseconds(.random(in: 0...30, using: &numbers)))
            } catch { return }
        }
    }

    private func sendLogs(_ name: String, using numbers: inout SplitMix64) async throws {
        let plain = (0..<Int.random(in: 0...2, using: &numbers)).map { "\(name)-plain-\($0)" }
        let crashes = (0..<Int.random(in: 1...2, using: &numbers)).map { "\(name)-crash-\($0)" }
        // Some of the libraries are there already, some arrive later, some never.
        let round = numbers.next() % 2 == 0 ? number : max(number, 2) - 1
        let image = round << 8 | UInt64.random(in: 0..<8, using: &numbers)
        let records =
            plain.map { Requests.plain($0) }
            + crashes.map { Requests.crash($0, in: identity(image), uid: Self.uid(&numbers)) }
        let reply = try await client.send(logs: Requests.logs(records))
        guard reply.status == 200 else { return }
        for ledger in ledgers { ledger.acknowledge(ids: plain, crashes: crashes, in: image) }
    }

    /// Returns an identifier, a shared one, or none: some clients name their records, and some use
    /// one name for several.
    private static func uid(_ numbers: inout SplitMix64) -> String? {
        numbers.next() % 4 == 0 ? "client \(numbers.next() % 8)" : nil
    }

    /// Sends spans or metrics with these identifiers.
    private func send(_ ids: [String], _ body: [UInt8], to path: String) async throws {
        let reply = try await client.post(path, body, type: "application/x-protobuf")
        guard reply.status == 200 else { return }
        for ledger in ledgers { ledger.acknowledge(ids: ids, diagnostics: []) }
    }

    private func sendPayload(_ payload: UInt64) async throws {
        let reply = try await client.post(
            "/v1/metrickit", Requests.payload(payload), type: "application/json")
        guard reply.status == 202 else { return }
        let uids = try reply.object()["ids"] as? [String] ?? []
        for ledger in ledgers { ledger.acknowledge(uids: uids) }
    }

    private func upload() async {
        for part in UInt64(0)..<0x20 {
            let image = number << 8 | part
            guard !Task.isCancelled, let reply = try? await client.upload(library(image))
            else { return }
            if reply.status == 201 { ledgers.first?.acknowledge(image: image) }
        }
    }
}
