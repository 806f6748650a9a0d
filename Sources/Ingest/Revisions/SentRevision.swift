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
    public var history: RevisionHistory

    public init(
        sent: SentRevision, wasHeld: Bool, symbolicatedFrameCount: Int,
        history: RevisionHistory
    ) {
        self.sent = sent
        self.wasHeld = wasHeld
        self.symbolicatedFrameCount = symbolicatedFrameCount
        self.history = history
    }

    /// Returns the number of a content that an entry sends again: the one with which it sent that
    /// content, or else that of the last revision or the next one.
    func number(for content: RecordDigest?, sentBy entry: Int64) -> Int {
        if let own = history.content(sentBy: entry), own.digest == content { return own.number }
        return sent.number(for: content)
    }
}

/// Content that differs from the last sent revision and becomes the next one.
public struct NextRevision: Sendable {
    /// The previous revision, as read before the content was computed.
    public var last: SentRevision
    public var content: RecordDigest?
    /// The current state of a diagnostic that waits for symbols again, because symbols were removed
    /// and fewer frames are symbolicated than before; otherwise `nil`.
    public var reduced: DiagnosticRecord?
    /// The revisions up to this one.
    public var history: RevisionHistory

    public init(
        after last: SentRevision, content: RecordDigest?, reduced: DiagnosticRecord? = nil,
        history: RevisionHistory = RevisionHistory()
    ) {
        self.last = last
        self.content = content
        self.reduced = reduced
        self.history = history
    }

    public var sent: SentRevision {
        SentRevision(address: last.address, number: last.number + 1, digest: content)
    }

    /// The diagnostic in ``reduced`` with its new number, to be stored.
    package var reducedStored: DiagnosticRecord? {
        guard var diagnostic = reduced else { return nil }
        diagnostic.revision = sent.number
        diagnostic.history = history
        return diagnostic
    }
}

extension DiagnosticRecord {
    /// Adds the current content, which an entry sends.
    mutating func addToHistory(sentBy entry: Int64) {
        history.add(sentRevision, view, sentBy: entry)
    }

    public var sentRevision: SentRevision {
        SentRevision(address: address, number: revision, digest: digest)
    }
}
