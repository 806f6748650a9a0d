public import CallStacks

/// The permanent identifier of an entry.
///
/// For OTLP requests it is the time of arrival and random bytes. For a MetricKit payload it is the
/// start of its SHA-256, so that duplicates are recognised.
public struct EntryKey: Hashable, Sendable {
    public let bytes: [UInt8]

    public static let length = 16

    /// Returns `nil` unless there are exactly ``length`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(generator.next(), generator.next())
    }

    /// Returns a new key: 6 bytes of milliseconds, then random bytes. Keys sort in the order of
    /// arrival, so that an index of them grows at its end.
    public static func unique(
        at time: UnixTime, using generator: inout some RandomNumberGenerator
    ) -> Self {
        let milliseconds = UInt64(truncatingIfNeeded: time.rawValue)
        return Self(milliseconds << 16 | generator.next() & 0xffff, generator.next())
    }

    private init(_ head: UInt64, _ tail: UInt64) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        for number in [head, tail] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        self.bytes = bytes
    }
}

/// A request that does not have a number in the journal yet.
public struct JournalDraft: Sendable {
    public var key: EntryKey
    public var arrival: UnixTime
    public var kind: EntryKind
    public var body: [UInt8]
    /// The app that the sender's token is bound to, or `nil` for an unbound token. Everything in
    /// the request belongs to that app, whatever app it names.
    public var app: String?
    /// Whether the same request may be sent again, with the same key. It is appended only once.
    public var isRepeatable: Bool

    public init(
        key: EntryKey, arrival: UnixTime, kind: EntryKind, body: [UInt8], app: String? = nil,
        isRepeatable: Bool = false
    ) {
        self.app = app
        self.isRepeatable = isRepeatable
        self.key = key
        self.arrival = arrival
        self.kind = kind
        self.body = body
    }
}

/// A request in the journal.
public struct JournalEntry: Sendable {
    /// Numbers ascend and are never reused.
    public var number: Int64
    public var draft: JournalDraft

    public init(number: Int64, draft: JournalDraft) {
        self.number = number
        self.draft = draft
    }
}
