import Foundation

/// Which debuginfod servers are asked, and how patiently, by the variables that all clients share.
public struct DebuginfodSettings: Hashable, Sendable {
    /// Without a slash at the end.
    public var urls: [String]
    /// How long a server may take until the first byte, and between two.
    public var silenceSeconds = 5
    /// How long a download may take in all.
    public var downloadSeconds = 600
    /// The largest file that is taken.
    public var bytesLimit: Int64 = 4 << 30
    /// The time to connect, which a server that is there does not need.
    static let connectSeconds = 2
    /// More are left out: each is asked about each image.
    static let urlLimit = 16

    public init(urls: [String]) { self.urls = urls }

    /// - Parameter environment: `DEBUGINFOD_URLS`, apart by white space, and `DEBUGINFOD_TIMEOUT`,
    ///   `DEBUGINFOD_MAXTIME` and `DEBUGINFOD_MAXSIZE`, where 0 stands for the usual.
    public init(environment: [String: String]) {
        let words = (environment["DEBUGINFOD_URLS"] ?? "").split(whereSeparator: \.isWhitespace)
        // Other words say how signatures are checked, which is for whole distributions.
        let urls = words.filter { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
        self.init(
            urls: urls.prefix(Self.urlLimit).map { url in
                String(url.reversed().drop { $0 == "/" }.reversed())
            })
        func number(_ name: String) -> Int64? {
            environment[name].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        if let seconds = number("DEBUGINFOD_TIMEOUT") { silenceSeconds = Self.bounded(seconds) }
        if let seconds = number("DEBUGINFOD_MAXTIME") { downloadSeconds = Self.bounded(seconds) }
        if let bytes = number("DEBUGINFOD_MAXSIZE") { bytesLimit = bytes }
    }

    /// At most a day.
    private static func bounded(_ seconds: Int64) -> Int { Int(min(seconds, 86_400)) }
}
