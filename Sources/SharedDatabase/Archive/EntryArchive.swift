public import Ingest

/// The port to the objects with archived entries.
public protocol EntryArchive: Sendable {
    /// Whether reading entries is likely to succeed. `false` for some time after a request to the
    /// bucket failed.
    var isAvailable: Bool { get }

    /// Returns the entries with some numbers, without those whose objects are missing or damaged.
    ///
    /// - Throws: `JournalError` with the reason `unavailable` if the bucket does not respond.
    func entries(_ wanted: [WantedEntries]) async throws(JournalError) -> [JournalEntry]

    /// Deletes objects without a row. Those that cannot be deleted remain.
    func delete(_ objects: [String]) async
}

/// Entries to be read from an object.
public struct WantedEntries: Hashable, Sendable {
    public let object: ArchivedObject
    /// The wanted entries of the object, in order.
    public let entries: [ArchivedEntry]

    public init(_ entries: [ArchivedEntry], in object: ArchivedObject) {
        self.object = object
        self.entries = entries
    }
}
