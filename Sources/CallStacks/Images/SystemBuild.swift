/// A build of one of Apple's systems, for one processor architecture.
public struct SystemBuild: Hashable, Sendable {
    /// `iPhone OS 18.1`; empty if unknown.
    public var name: String
    /// `22B83`; empty if unknown.
    public var build: String
    /// `arm64e`; empty if unknown.
    public var architecture: String

    public init(name: String, build: String, architecture: String) {
        self.name = name
        self.build = build
        self.architecture = architecture
    }

    /// Reads a system as written in reports: `iPhone OS 18.1 (22B83)`. The build may be missing.
    public init(_ text: String, architecture: String = "") {
        let parts = text.split(separator: "(", maxSplits: 1)
        var name = parts.first ?? ""
        while name.last == " " { name.removeLast() }
        self.init(
            name: String(name), build: parts.count > 1 ? String(parts[1].prefix { $0 != ")" }) : "",
            architecture: architecture)
    }

    /// Whether a text may be the name of a build, such as `22B83` or `22A5307f`: it consists of
    /// letters and digits.
    public static func isBuild(_ text: some StringProtocol) -> Bool {
        (2...buildLengthLimit).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
            }
    }

    private static let buildLengthLimit = 24
}
