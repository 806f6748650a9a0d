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

    /// The rule for the app, the version and the build, for error messages.
    public static let partRule =
        "1 to \(partLengthLimit) bytes of printable characters, other than '.' and '..'"

    private static let partLengthLimit = 256

    /// Whether a text can be an app, a version or a build: short, printable on one line, and not
    /// changed by clients that normalise paths.
    public static func isPart(_ text: String) -> Bool {
        (1...partLengthLimit).contains(text.utf8.count) && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy { scalar in
                ![.control, .format, .lineSeparator, .paragraphSeparator]
                    .contains(scalar.properties.generalCategory)
            }
    }
}
