/// One build of one app, to which debug files belong.
public struct Build: Hashable, Sendable {
    /// The app's identifier, such as `com.example.shop`.
    public var app: String
    public var version: String
    public var build: String

    public init(app: String, version: String, build: String) {
        self.app = app
        self.version = version
        self.build = build
    }
}
