public import CallStacks

/// What names an entry of the journal for ever: 16 bytes, random for OTLP requests, and the head of
/// the SHA-256 of a MetricKit payload, so that a payload that is posted twice is recognised.
public struct EntryKey: Hashable, Sendable {
    public let bytes: [UInt8]

    public static let length = 16

    /// `nil` unless there are exactly ``length`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(unchecked: (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// A request before it has its place in the journal.
public struct JournalDraft: Sendable {
    public var key: EntryKey
    public var arrival: UnixTime
    public var signal: Signal
    public var body: [UInt8]

    public init(key: EntryKey, arrival: UnixTime, signal: Signal, body: [UInt8]) {
        self.key = key
        self.arrival = arrival
        self.signal = signal
        self.body = body
    }
}

/// A request that was acknowledged, or is about to be.
public struct JournalEntry: Sendable {
    /// Its place: numbers ascend and are never used twice.
    public var number: Int64
    public var draft: JournalDraft

    public init(number: Int64, draft: JournalDraft) {
        self.number = number
        self.draft = draft
    }
}
