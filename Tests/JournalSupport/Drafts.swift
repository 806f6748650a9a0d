public import CallStacks
public import Ingest
import TestSupport

extension UnixTime {
    /// A moment that many seconds after the beginning.
    public static func at(_ seconds: Int64) -> Self { Self(rawValue: seconds * 1_000) }
}

/// A draft whose key and body follow from `number`.
public func draft(
    _ number: Int, kind: EntryKind = .logs, size: Int = 40, at seconds: Int64? = nil,
    app: String? = nil
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
        key: key, arrival: .at(seconds ?? Int64(number)), kind: kind, body: body, app: app)
}

/// A MetricKit payload, which may be posted again.
public func payload(_ number: Int) -> JournalDraft {
    var payload = draft(number, kind: .metricKit)
    payload.isRepeatable = true
    return payload
}

extension JournalDraft {
    public func isEqual(to other: Self) -> Bool {
        key == other.key && arrival == other.arrival && kind == other.kind
            && body == other.body && app == other.app
    }
}

extension Journal {
    /// Appends drafts that are not known, and returns their numbers.
    public func appendAll(_ drafts: [JournalDraft]) async throws -> [Int64] {
        try await append(drafts).compactMap(\.self)
    }
}
