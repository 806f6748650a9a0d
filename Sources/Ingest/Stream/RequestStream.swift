/// The port to a stream of requests that several nodes share. It replaces the journal for OTLP
/// requests.
public protocol RequestStream: Sendable {
    /// Appends a request, and returns once the stream has stored it.
    ///
    /// - Returns: `false` if the stream does not accept requests like this one, for instance
    ///   because of its size. The journal stores it instead.
    func append(_ draft: JournalDraft) async throws(JournalError) -> Bool

    /// Checks whether requests can probably be appended.
    func checkRoom() throws(JournalError)
}

/// The source of a request in a stream. It is notified when the request is finished.
public protocol StreamedRequest: Sendable {
    /// Whether this node still has to finish the request. Its results are dropped once another node
    /// is responsible for it.
    var isCurrent: Bool { get }

    /// Marks the request as finished: every exporter has acknowledged its results, or it is stored.
    func finish()
}
