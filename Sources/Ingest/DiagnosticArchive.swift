public import CallStacks
public import SymbolIntake

/// The port to what was received: lists of diagnostics, what they wait for, and what is to be sent
/// again.
public protocol DiagnosticArchive: Sendable {
    func diagnostics(_ query: DiagnosticQuery) async throws(JournalError) -> [DiagnosticRow]

    /// The newest of the diagnostics that lists show by an identifier.
    ///
    /// - Parameter app: Whose diagnostics count; `nil` for all.
    func diagnostic(uid: String, app: String?) async throws(JournalError) -> DiagnosticRow?

    func diagnostic(at place: RecordPlace) async throws(JournalError) -> DiagnosticRow?

    /// What was last sent of the diagnostics of an entry.
    func revisions(ofEntry number: Int64) async throws(JournalError) -> [KnownRevision]

    /// Counts revisions up, before they are sent: all of them or none.
    ///
    /// - Returns: `false` if one was counted up since its content was made. Then that content may be
    ///   older than the other, and is to be made again.
    func advance(_ steps: [RevisionStep]) async throws(JournalError) -> Bool

    /// Whether a MetricKit payload was posted before. Of those whose entries are gone the newest
    /// million are known.
    func isKnown(payload key: EntryKey) async throws(JournalError) -> Bool

    /// What diagnostics wanted and nobody uploaded, those with most waiting diagnostics first.
    func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage]

    /// Images that some diagnostic waits for, in the order of their bytes, for a walk over all.
    ///
    /// - Parameter last: Where to go on: only those after it.
    func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage]

    /// Marks the diagnostics that wait for `image`, may use a file of its owner, and arrived at or
    /// after `oldest` to be sent again at `due`, and forgets that these and older ones wait for it. One that is marked already
    /// is sent at the later moment. What was begun is finished even when the process ends in
    /// between.
    ///
    /// - Returns: How many were marked.
    func wake(
        waitingFor image: ArrivedImage, since oldest: UnixTime, due: UnixTime
    ) async throws(JournalError) -> Int

    /// Appends to the journal an entry of ``Signal/revision`` for each diagnostic that is marked to
    /// be sent again by `now`, and for each whose hold has ended by then: at most `count`, those
    /// first that were due first. Takes their marks away and turns held ones into
    /// ``DiagnosticRow/State/released``, all in one write.
    ///
    /// - Returns: The entries appended.
    func takeUp(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry]

    /// Removes diagnostics that arrived before `oldest`, then the oldest ones while the entries that
    /// diagnostics keep alive hold more than `bytes`; at most `count` at a time. Ones that are held
    /// or marked to be sent again stay, and all stay until every reader has passed their entries and
    /// those that send them again: what was sent must be known for as long as it may be repeated.
    ///
    /// - Returns: How many went.
    func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int

    /// What exporters refused for good, in the order of their ids: at most `count`, and fewer
    /// where their bodies are large, but always one if there is one.
    func deadLetters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter]

    /// Letters of one exporter that are to be sent again without being asked for: those that were not
    /// refused once more under the exporter's settings, and of which no part was taken. At most
    /// `count`, in the order of their ids, bounded as ``deadLetters(after:count:)`` is.
    ///
    /// - Parameter settingsMark: What tells the exporter's settings from others.
    func resendableDeadLetters(
        of exporter: String, settingsMark: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter]

    /// Notes that letters were refused once more, under these settings.
    func noteRefusal(of ids: [Int64], settingsMark: String) async throws(JournalError)

    /// How many letters there are, by exporter.
    func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount]

    /// Keeps what an exporter refused, and moves the exporter's place behind it, in one write.
    func bury(_ letter: DeadLetter, movingTo number: Int64) async throws(JournalError)

    /// Removes dead letters; those that were just sent again, or that nobody wants any more.
    func removeDeadLetters(_ ids: [Int64]) async throws(JournalError)

    /// Removes letters that were refused before `oldest`, and the oldest ones while all of them hold
    /// more than `bytes`; at most `count` at a time.
    ///
    /// - Returns: How many went.
    func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}

extension DiagnosticArchive {
    /// The newest of the diagnostics of all apps that lists show by an identifier.
    public func diagnostic(uid: String) async throws(JournalError) -> DiagnosticRow? {
        try await diagnostic(uid: uid, app: nil)
    }

    /// The diagnostic that a revision entry sends again.
    func diagnostic(
        _ reference: RevisionReference
    ) async throws(JournalError) -> DiagnosticRow? {
        switch reference {
        case .place(let place): try await diagnostic(at: place)
        case .uid(let uid): try await diagnostic(uid: uid)
        }
    }
}

/// Which diagnostics to list, newest first.
public struct DiagnosticQuery: Hashable, Sendable {
    public var app: String?
    public var version: String?
    public var build: String?
    public var kind: DiagnosticKind?
    public var status: SymbolicatedDiagnostic.Status?
    public var fingerprint: String?
    /// Only those that arrived before this one in the list: the place in the list to go on from.
    public var before: RecordPlace?
    public var limit: Int

    public static let largestLimit = 1_000

    public init(limit: Int = 100) { self.limit = min(max(limit, 1), Self.largestLimit) }
}

/// Which missing images to list.
public struct MissingQuery: Hashable, Sendable {
    public enum Scope: String, Sendable, CaseIterable {
        case app, system
    }

    public var scope: Scope?
    /// The app whose diagnostics want them.
    public var app: String?
    /// The only app whose waiting diagnostics are counted, and may be known at all.
    public var boundApp: String?
    public var limit: Int

    public init(
        scope: Scope? = nil, app: String? = nil, boundApp: String? = nil, limit: Int = 1_000
    ) {
        self.boundApp = boundApp
        self.scope = scope
        self.app = app
        self.limit = limit
    }
}

/// One image that diagnostics wanted and nobody uploaded.
public struct MissingImage: Hashable, Sendable {
    public var image: ImageID
    public var name: String?
    public var architecture: String?
    public var isInApp: Bool
    /// `1.4.0 (217)`, each once, newest first seen last; of many only the newest, and only those of
    /// the app that the query names.
    public var appVersions: [String]
    /// How many diagnostics wait for it now.
    public var waitingCount: Int
    public var firstSeen: UnixTime
    public var lastSeen: UnixTime

    public init(
        image: ImageID, name: String?, architecture: String?, isInApp: Bool,
        appVersions: [String], waitingCount: Int, firstSeen: UnixTime, lastSeen: UnixTime
    ) {
        self.image = image
        self.name = name
        self.architecture = architecture
        self.isInApp = isInApp
        self.appVersions = appVersions
        self.waitingCount = waitingCount
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// An image that some diagnostic waits for.
public struct AwaitedImage: Hashable, Sendable {
    public var image: ImageID
    /// As in ``WantedImage/app``.
    public var app: String?
    /// When the first diagnostic arrived that wanted it.
    public var firstSeen: UnixTime

    public init(image: ImageID, app: String? = nil, firstSeen: UnixTime) {
        self.image = image
        self.app = app
        self.firstSeen = firstSeen
    }
}
