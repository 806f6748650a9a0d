public import CallStacks

/// What the worker found in a run of entries.
public struct WorkedBatch: Sendable {
    /// The number of the last entry of the run.
    public var lastNumber: Int64
    /// The diagnostics that came with new entries.
    public var diagnostics: [DiagnosticRow]
    /// Diagnostics that were sent again, with what they look like now.
    public var revised: [DiagnosticRow]
    /// The revisions that those followed when they were worked on. If an exporter's repetition has
    /// counted one up meanwhile, the batch is not kept: its contents would get numbers that are taken.
    public var expected: [SentRevision]
    /// The MetricKit payloads among the entries. One that was worked on before counts once.
    public var payloads: [WorkedPayload]

    public init(
        lastNumber: Int64, diagnostics: [DiagnosticRow] = [], revised: [DiagnosticRow] = [],
        expected: [SentRevision] = [],
        payloads: [WorkedPayload] = []
    ) {
        self.lastNumber = lastNumber
        self.diagnostics = diagnostics
        self.revised = revised
        self.expected = expected
        self.payloads = payloads
    }

    /// All images that these diagnostics want.
    var wantedImages: [WantedImage] { (diagnostics + revised).flatMap(\.wanted) }
}

/// Where a diagnostic stands in the journal, which is its address.
public struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
    /// The number of its entry.
    public var entry: Int64
    /// Its position among the records of the entry, or among the diagnostics of the payload, from 0.
    public var position: Int

    public init(entry: Int64, position: Int) {
        self.entry = entry
        self.position = position
    }

    /// `17:2`.
    public var description: String { "\(entry):\(position)" }

    /// `nil` for what ``description`` does not write.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let entry = Int64(parts[0]), let position = Int(parts[1]),
            entry > 0, position >= 0
        else { return nil }
        self.init(entry: entry, position: position)
    }
}

/// One diagnostic as lists show it: everything but its stacks, which are made from its entry when
/// somebody asks.
public struct DiagnosticRow: Hashable, Sendable {
    /// How far it has come.
    public enum State: Int, Sendable {
        /// Waits for its symbols until ``DiagnosticRow/heldUntil``, and was not sent yet.
        case held = 0
        case sent = 1
        /// Was held, and is on its way: the entry that lets it out is in the journal, and the worker
        /// has not come to it yet.
        case released = 2
    }

    /// The identifier that lists show: the `log.record.uid` of the client, or our own. Clients may
    /// give several records one; ``place`` is what tells diagnostics apart.
    public var uid: String
    public var place: RecordPlace
    public var arrival: UnixTime
    public var kind: DiagnosticKind
    public var status: SymbolicatedDiagnostic.Status
    public var state: State
    /// When its hold ends or would have ended. It stays when the diagnostic is let out, and so tells
    /// that its record goes out with an entry of its own and never with the one it came in; `nil`
    /// for one that was not held.
    public var heldUntil: UnixTime?
    /// Counted up each time that its record is sent with another content.
    public var revision: Int
    /// The content of that revision; `nil` if an earlier version sent it.
    public var digest: ContentDigest?
    /// The app of the token that sent it, else the bundle identifier, else `service.name`.
    public var app: String?
    public var version: String?
    public var build: String?
    public var exceptionName: String?
    public var exceptionMessage: String?
    public var culprit: String?
    public var fingerprint: String
    public var frameCount: Int
    public var symbolicatedFrameCount: Int
    /// The images that would make it better if they were uploaded.
    public var wanted: [WantedImage]

    public init(
        uid: String, place: RecordPlace, arrival: UnixTime, kind: DiagnosticKind,
        status: SymbolicatedDiagnostic.Status, fingerprint: String
    ) {
        self.uid = uid
        self.place = place
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

/// An image that a diagnostic wanted and that nobody has uploaded, or not well enough.
public struct WantedImage: Hashable, Sendable {
    public var image: ImageID
    public var name: String?
    public var architecture: String?
    /// Whether it belongs to the app and not to the system.
    public var isInApp: Bool
    /// How many physical frames of the diagnostic wait for it.
    public var frameCount: Int
    /// The only app whose upload serves, besides one for everyone, or `nil` if any app's does.
    public var app: String?

    public init(
        image: ImageID, name: String?, architecture: String?, isInApp: Bool, frameCount: Int,
        app: String? = nil
    ) {
        self.app = app
        self.image = image
        self.name = name
        self.architecture = architecture
        self.isInApp = isInApp
        self.frameCount = frameCount
    }
}
