/// The last revision of a diagnostic's record, which all exporters agree on.
///
/// A receiver may see a number with one content only. So the number goes with the digest of the
/// content, and a content that differs gets the next number before it is sent.
public struct SentRevision: Hashable, Sendable {
    public var place: RecordPlace
    public var number: Int
    /// `nil` if an earlier version sent it, and then no content is known to be the same.
    public var digest: ContentDigest?

    public init(place: RecordPlace, number: Int, digest: ContentDigest?) {
        self.place = place
        self.number = number
        self.digest = digest
    }

    /// The number of a content.
    func number(for content: ContentDigest?) -> Int { digest == content ? number : number + 1 }
}

/// What is known of a diagnostic when its record is made again.
public struct KnownRevision: Hashable, Sendable {
    public var sent: SentRevision
    /// Whether its record goes out with an entry of its own, and never with the one it came in.
    public var wasHeld: Bool
    /// How many frames are symbolicated in the best content that all exporters get.
    public var symbolicatedFrameCount: Int

    public init(sent: SentRevision, wasHeld: Bool, symbolicatedFrameCount: Int) {
        self.sent = sent
        self.wasHeld = wasHeld
        self.symbolicatedFrameCount = symbolicatedFrameCount
    }
}

/// A content that differs from the last revision's, and becomes the next revision.
public struct RevisionStep: Sendable {
    /// The revision before, as it was when the content was made.
    public var last: SentRevision
    public var content: ContentDigest?
    /// The diagnostic as it is now if less of it is symbolicated than before, because symbols were
    /// removed: it waits for them again.
    public var poorer: DiagnosticRow?

    public init(after last: SentRevision, content: ContentDigest?, poorer: DiagnosticRow? = nil) {
        self.last = last
        self.content = content
        self.poorer = poorer
    }
}

extension DiagnosticRow {
    public var sentRevision: SentRevision {
        SentRevision(place: place, number: revision, digest: digest)
    }
}
