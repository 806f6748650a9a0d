public import CallStacks

/// The diagnostics of an app that have the same fingerprint.
public struct DiagnosticGroup: Hashable, Sendable {
    /// Whether a group is new or reappeared in the app's newest version.
    public enum Trend: String, Hashable, Sendable {
        /// Seen only in the newest of several versions.
        case new
        /// Seen in the newest version and in an old one, but not in the version before the newest.
        case back
    }

    public var id: Int64
    /// `nil` if the diagnostics name no app.
    public var app: String?
    public var fingerprint: String
    /// Kind, culprit and exception are those of the newest diagnostic.
    public var kind: DiagnosticKind
    public var culprit: String?
    public var exceptionName: String?
    public var exceptionMessage: String?
    public var diagnosticCount: Int
    /// The number of diagnostics without any symbolicated app frame.
    public var unreadableCount: Int
    /// The arrivals of the oldest and the newest stored diagnostic.
    public var firstSeen: UnixTime
    public var lastSeen: UnixTime
    public var newest: RecordAddress
    /// The versions in ascending order.
    public var versions: [GroupVersion] = []
    /// The days with diagnostics, in ascending order.
    public var days: [GroupDay] = []
    public var trend: Trend?

    public init(
        id: Int64, app: String?, fingerprint: String, kind: DiagnosticKind, diagnosticCount: Int,
        unreadableCount: Int, firstSeen: UnixTime, lastSeen: UnixTime, newest: RecordAddress
    ) {
        self.id = id
        self.app = app
        self.fingerprint = fingerprint
        self.kind = kind
        self.diagnosticCount = diagnosticCount
        self.unreadableCount = unreadableCount
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.newest = newest
    }

    /// Whether no diagnostic of the group could be symbolicated. Such a group may contain unrelated
    /// diagnostics.
    public var isRaw: Bool { unreadableCount >= diagnosticCount }
}

/// The diagnostics of a group from one version of its app.
public struct GroupVersion: Hashable, Sendable {
    /// `nil` if the diagnostics name no version.
    public var version: String?
    public var diagnosticCount: Int
    public var frameCount: Int
    public var symbolicatedFrameCount: Int
    public var firstSeen: UnixTime
    public var lastSeen: UnixTime

    public init(
        version: String?, diagnosticCount: Int, frameCount: Int, symbolicatedFrameCount: Int,
        firstSeen: UnixTime, lastSeen: UnixTime
    ) {
        self.version = version
        self.diagnosticCount = diagnosticCount
        self.frameCount = frameCount
        self.symbolicatedFrameCount = symbolicatedFrameCount
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// The number of diagnostics that arrived on one day.
public struct GroupDay: Hashable, Sendable {
    /// In days since 1970-01-01, UTC.
    public var day: Int64
    public var diagnosticCount: Int

    public init(day: Int64, diagnosticCount: Int) {
        self.day = day
        self.diagnosticCount = diagnosticCount
    }
}

/// The numbers of diagnostics, frames and symbolicated frames of an app's version.
public struct VersionCoverage: Hashable, Sendable {
    public var app: String?
    public var version: String?
    public var diagnosticCount: Int
    public var frameCount: Int
    public var symbolicatedFrameCount: Int

    public init(
        app: String?, version: String?, diagnosticCount: Int, frameCount: Int,
        symbolicatedFrameCount: Int
    ) {
        self.app = app
        self.version = version
        self.diagnosticCount = diagnosticCount
        self.frameCount = frameCount
        self.symbolicatedFrameCount = symbolicatedFrameCount
    }
}
