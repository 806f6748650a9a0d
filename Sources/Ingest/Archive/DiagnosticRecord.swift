public import CallStacks

/// The address of a record in the journal, which identifies its diagnostic.
public struct RecordAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of its entry.
    public var entry: Int64
    /// The index among the records of the entry, or among the diagnostics of the payload.
    public var position: Int

    public init(entry: Int64, position: Int) {
        self.entry = entry
        self.position = position
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.entry, left.position) < (right.entry, right.position)
    }

    /// `17:2`.
    public var description: String { "\(entry):\(position)" }

    /// Returns `nil` unless `text` has the form of ``description``.
    public init?(_ text: String) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false)
        guard numbers.count == 2, let entry = Int64(numbers[0]), let position = Int(numbers[1]),
            entry > 0, position >= 0
        else { return nil }
        self.init(entry: entry, position: position)
    }
}

/// A diagnostic as shown in lists. Its stacks are recomputed from its entry on demand.
public struct DiagnosticRecord: Hashable, Sendable {
    public enum State: Int, Sendable {
        /// Not sent yet, and waits for symbols until ``DiagnosticRecord/heldUntil``.
        case held = 0
        case sent = 1
        /// No longer held. An entry in the journal sends it once the worker reaches that entry.
        case released = 2
    }

    /// The identifier that lists show: the client's `log.record.uid`, or a generated one. Clients
    /// may use the same one for several records; only ``address`` identifies a diagnostic.
    public var uid: String
    public var address: RecordAddress
    public var arrival: UnixTime
    public var kind: DiagnosticKind
    public var status: SymbolicatedDiagnostic.Status
    public var state: State
    /// The end of its hold, or `nil` if it was never held. The value is kept after the release,
    /// because such a record is exported with an entry of its own, never with the one in which it
    /// arrived.
    public var heldUntil: UnixTime?
    /// Increased each time its record is sent with different content.
    public var revision: Int
    /// The content of that revision, or `nil` if an earlier version sent it.
    public var digest: RecordDigest?
    /// The contents that were sent, up to that revision.
    public var history = RevisionHistory()
    /// The app that the sender's token is bound to, or else the bundle identifier, or else
    /// `service.name`.
    public var app: String?
    public var version: String?
    public var build: String?
    public var exceptionName: String?
    public var exceptionMessage: String?
    public var culprit: String?
    public var fingerprint: String
    public var frameCount: Int
    public var symbolicatedFrameCount: Int
    /// The images whose symbols would improve it.
    public var wanted: [WantedImage]
    /// The images of its app frames. They are stored with its group, and not with the diagnostic.
    public var appImages: Set<ImageID> = []
    /// The symbols of its images that were known when it was sent. Stored in ``history``.
    var view = SymbolView()
    /// The encoded merged stacks, or `nil` if they were not sampled. They are stored with the
    /// diagnostic but not part of lists.
    public var sampledStacks: [UInt8]?

    public init(
        uid: String, address: RecordAddress, arrival: UnixTime, kind: DiagnosticKind,
        status: SymbolicatedDiagnostic.Status, fingerprint: String
    ) {
        self.uid = uid
        self.address = address
        self.arrival = arrival
        self.kind = kind
        self.status = status
        self.fingerprint = fingerprint
        state = .sent
        revision = 1
        frameCount = 0
        symbolicatedFrameCount = 0
        wanted = []
    }
}
