public import CallStacks

/// The port to stored diagnostics, the images that they wait for, and re-sends.
public protocol DiagnosticArchive: Sendable {
    func diagnostics(_ query: DiagnosticQuery) async throws(JournalError) -> [DiagnosticRecord]

    /// Returns the number of diagnostics in a list, at most its limit.
    func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int

    /// Returns the newest diagnostic with an identifier, as shown in lists.
    ///
    /// - Parameter app: The app of the diagnostic, or `nil` for any app.
    func diagnostic(uid: String, app: String?) async throws(JournalError) -> DiagnosticRecord?

    func diagnostic(at address: RecordAddress) async throws(JournalError) -> DiagnosticRecord?

    /// Returns the images that diagnostics wait for, those with the most diagnostics first.
    func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage]

    /// Returns one page of the images that diagnostics wait for, with their positions in the list.
    func missingImages(
        _ query: MissingListQuery
    ) async throws(JournalError) -> [ListedMissingImage]

    /// Counts the images that diagnostics wait for. The limit of the query is ignored.
    func missingSummary(_ query: MissingQuery) async throws(JournalError) -> MissingSummary

    /// Returns the versions whose diagnostics wait for symbols of the app's own images, those with
    /// the most diagnostics first. The scope of the query is ignored.
    func incompleteVersions(
        _ query: MissingQuery
    ) async throws(JournalError) -> [IncompleteVersion]

    /// Returns the images that diagnostics wait for, in the order of their bytes, for visiting all
    /// of them.
    ///
    /// - Parameter last: The image after which to continue.
    func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage]

    /// Returns the images whose symbols have changed and whose waiting diagnostics need more steps.
    func awakenedImages() async throws(JournalError) -> [ImageID]

    /// Marks some of the diagnostics that wait for an image of ``awakenedImages()``, so that they
    /// are sent again when they are due, or at the later time if they are already marked. They no
    /// longer wait for the image. Those that are too old for the terms only stop waiting.
    ///
    /// If the terms exclude system images, the diagnostics that wait for one are not marked. If all
    /// its symbols are stored, they wait again only when these are removed.
    ///
    /// A step is short, however many diagnostics wait. It can follow the previous one in another
    /// process.
    func stepAwakening(
        of image: ImageID, _ terms: ResendTerms
    ) async throws(JournalError) -> AwakeningStep

    /// Appends an entry of ``Signal/revision`` for each diagnostic that is due to be sent again or
    /// whose hold has ended, at most `count`, earliest first.
    ///
    /// The write that appends an entry removes the mark and turns a held diagnostic into
    /// ``DiagnosticRecord/State/released``.
    ///
    /// - Returns: The appended entries.
    func enqueueDue(count: Int, now: UnixTime) async throws(JournalError) -> [JournalEntry]

    /// Removes diagnostics that arrived before `oldest`, then the oldest ones as long as the
    /// entries of diagnostics take more than `bytes`; at most `count` at a time.
    ///
    /// Held and marked diagnostics stay. All others stay until every reader has passed their
    /// entries and the entries that send them again, because a sent revision must be known for as
    /// long as it may be replayed.
    ///
    /// - Returns: The number of removed diagnostics.
    func removeDiagnostics(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}

extension DiagnosticArchive {
    /// Returns the newest diagnostic of any app with an identifier, as shown in lists.
    public func diagnostic(uid: String) async throws(JournalError) -> DiagnosticRecord? {
        try await diagnostic(uid: uid, app: nil)
    }
}

/// A list of diagnostics, newest first.
public struct DiagnosticQuery: Hashable, Sendable {
    public var app: String?
    public var version: String?
    public var build: String?
    public var kind: DiagnosticKind?
    public var status: SymbolicatedDiagnostic.Status?
    public var fingerprint: String?
    /// The address at which the list continues: it contains only diagnostics that arrived before
    /// it.
    public var before: RecordAddress?
    /// The address at which the list ends: it contains the diagnostics that arrived right after it,
    /// and ``before`` is ignored.
    public var after: RecordAddress?
    public var limit: Int

    public static let largestLimit = 1_000

    public init(limit: Int = 100) { self.limit = min(max(limit, 1), Self.largestLimit) }
}

/// A list of missing images.
public struct MissingQuery: Hashable, Sendable {
    public enum Scope: String, Sendable, CaseIterable {
        case app, system
    }

    public var scope: Scope?
    /// The only image to return, or `nil` for all.
    public var image: ImageID?
    /// The app whose diagnostics wait for the images, or `nil` for all apps.
    public var app: String?
    /// The only app whose waiting diagnostics are counted and may be shown.
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

/// An image that diagnostics wait for because no sufficient symbols were uploaded.
public struct MissingImage: Hashable, Sendable {
    public var image: ImageID
    public var name: String?
    public var architecture: String?
    public var isInApp: Bool
    /// Distinct versions such as `1.4.0 (217)`, the most recently seen last, and only those of the
    /// app in the query. Their number is limited.
    public var appVersions: [String]
    /// The number of diagnostics that wait for it.
    public var waitingCount: Int
    public var firstSeen: UnixTime
    public var lastSeen: UnixTime
    /// The number of frames of diagnostics that waited for it since it was added to the list.
    public var frameCount = 0
    /// The systems that it is part of, those with the most diagnostics first.
    public var systems: [MissingSystem] = []

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

/// The number of missing images, and of the diagnostics that depend on them.
public struct MissingSummary: Hashable, Sendable {
    public var imageCount: Int
    /// The number of diagnostics that wait for the most wanted image, or 0 without images.
    public var largestWaitingCount: Int

    public init(imageCount: Int, largestWaitingCount: Int) {
        self.imageCount = imageCount
        self.largestWaitingCount = largestWaitingCount
    }
}

/// A system whose images diagnostics wait for.
public struct MissingSystem: Hashable, Sendable {
    /// The maximum number of systems stored for an image, and of models stored for a system.
    public static let systemLimit = 8
    public static let modelLimit = 4

    public var system: SystemBuild
    /// The models of the devices that sent diagnostics, such as `iPhone15,2`.
    public var models: [String]
    public var diagnosticCount: Int

    public init(system: SystemBuild, models: [String], diagnosticCount: Int) {
        self.system = system
        self.models = models
        self.diagnosticCount = diagnosticCount
    }

    /// Adds the devices and counts from another record of the same system.
    public mutating func add(_ models: [String], diagnosticCount count: Int) {
        diagnosticCount += count
        for model in models
        where !self.models.contains(model) && self.models.count < Self.modelLimit {
            self.models.append(model)
        }
    }
}

/// An image that at least one diagnostic waits for.
public struct AwaitedImage: Hashable, Sendable {
    public var image: ImageID
    /// See ``WantedImage/app``.
    public var app: String?
    /// The number of diagnostics that wait for it.
    public var waitingCount: Int

    public init(image: ImageID, app: String? = nil, waitingCount: Int) {
        self.image = image
        self.app = app
        self.waitingCount = waitingCount
    }
}

/// The diagnostics that are sent again when symbols arrive, and the time at which they are.
public struct ResendTerms: Hashable, Sendable {
    /// The arrival of the oldest diagnostic that is sent again.
    public var oldest: UnixTime
    public var due: UnixTime
    /// Whether symbols of Apple's system images cause re-sends.
    public var includesSystem: Bool

    public init(oldest: UnixTime, due: UnixTime, includesSystem: Bool = false) {
        self.oldest = oldest
        self.due = due
        self.includesSystem = includesSystem
    }
}

/// The result of ``DiagnosticArchive/stepAwakening(of:_:)``.
public struct AwakeningStep: Hashable, Sendable {
    /// The number of diagnostics that were marked.
    public var markedCount: Int
    /// Whether no step is left for the image.
    public var isLast: Bool

    public init(markedCount: Int = 0, isLast: Bool = true) {
        self.markedCount = markedCount
        self.isLast = isLast
    }
}

/// A version of an app whose diagnostics wait for symbols of the app's own images.
public struct IncompleteVersion: Hashable, Sendable {
    /// Empty if the diagnostics do not name it.
    public var app: String
    /// The version with its build, such as `1.4.0 (217)`.
    public var version: String
    public var imageCount: Int
    /// The number of diagnostics that wait for the most wanted of the images, in all versions.
    public var waitingCount: Int
    public var lastSeen: UnixTime

    public init(
        app: String, version: String, imageCount: Int, waitingCount: Int, lastSeen: UnixTime
    ) {
        self.app = app
        self.version = version
        self.imageCount = imageCount
        self.waitingCount = waitingCount
        self.lastSeen = lastSeen
    }
}

extension DiagnosticArchive {
    /// Visits all images that diagnostics wait for, in the order of their bytes.
    ///
    /// - Parameter body: Called with some of the images at a time.
    public func visitAwaitedImages(
        _ body: ([AwaitedImage]) async throws -> Void
    ) async throws {
        let count = 1_000
        var last: AwaitedImage?
        repeat {
            let awaited = try await awaitedImages(after: last, count: count)
            try await body(awaited)
            last = awaited.count < count ? nil : awaited.last
        } while last != nil
    }
}
