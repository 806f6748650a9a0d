public import CallStacks

/// A file of an upload that was not stored because it is unusable.
public struct UploadRefusal: Hashable, Sendable {
    /// The number of refusals that are kept, over all apps.
    public static let limit = 100

    public var time: UnixTime
    /// The client's name for the file, or its path in the archive.
    public var name: String
    public var reason: String
    /// The app that the upload was for, or `nil` if it was for everyone.
    public var app: String?
    public var version: String?
    public var build: String?

    public init(
        time: UnixTime, name: String, reason: String, app: String? = nil, version: String? = nil,
        build: String? = nil
    ) {
        self.time = time
        self.name = name
        self.reason = reason
        self.app = app
        self.version = version
        self.build = build
    }

    /// - Returns: `nil` if the file was stored, or is stored already.
    init?(_ result: IntakeResult, of options: UploadOptions, at time: UnixTime) {
        guard result.status == .rejected, let reason = result.reason else { return nil }
        self.init(
            time: time, name: result.name, reason: reason,
            app: options.build?.app ?? options.owner.app, version: options.build?.version,
            build: options.build?.build)
    }
}
