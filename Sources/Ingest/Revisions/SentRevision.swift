/// The last revision of a diagnostic's record that was passed to exporters.
///
/// A receiver must never see two contents with the same number. So the digest of the content is
/// stored with the number, and different content gets the next number before it is sent.
public struct SentRevision: Hashable, Sendable {
    public var address: RecordAddress
    public var number: Int
    /// The digest of the content, or `nil` if an earlier version of the program sent it. Then any
    /// content counts as different.
    public var digest: RecordDigest?

    public init(address: RecordAddress, number: Int, digest: RecordDigest?) {
        self.address = address
        self.number = number
        self.digest = digest
    }

    /// Returns the revision number of a content: this one if it was sent, or the next one.
    func number(for content: RecordDigest?) -> Int { digest == content ? number : number + 1 }
}

/// The stored state of a diagnostic's revisions, read when its record is processed again.
public struct RevisionState: Hashable, Sendable {
    public var sent: SentRevision
    /// Whether its record is exported with an entry of its own, and never with the one in which it
    /// arrived.
    public var wasHeld: Bool
    /// The number of symbolicated frames in the best content that all exporters get.
    public var symbolicatedFrameCount: Int

    public init(sent: SentRevision, wasHeld: Bool, symbolicatedFrameCount: Int) {
        self.sent = sent
        self.wasHeld = wasHeld
        self.symbolicatedFrameCount = symbolicatedFrameCount
    }
}

/// Content that differs from the last sent revision and becomes the next one.
public struct NextRevision: Sendable {
    /// The previous revision, as read before the content was computed.
    public var last: SentRevision
    public var content: RecordDigest?
    /// The current state of a diagnostic that waits for symbols again because some were removed and
    /// fewer frames are symbolicated than before, or `nil` for any other.
    public var reduced: DiagnosticRecord?

    public init(after last: SentRevision, content: RecordDigest?, reduced: DiagnosticRecord? = nil)
    {
        self.last = last
        self.content = content
        self.reduced = reduced
    }
}

extension DiagnosticRecord {
    public var sentRevision: SentRevision {
        SentRevision(address: address, number: revision, digest: digest)
    }
}
