import Foundation

/// The debuginfod servers and limits, from the environment variables that all clients share.
public struct DebuginfodSettings: Hashable, Sendable {
    /// The URLs, without a trailing slash.
    public var urls: [String]
    /// Timeout until the first byte, and between two.
    public var silenceSeconds = 5
    /// Timeout of a whole download.
    public var downloadSeconds = 600
    /// The maximum size of a file.
    public var bytesLimit: Int64 = 4 << 30
    /// Timeout for connecting, which an available server never needs.
    static let connectSeconds = 2
    /// The maximum number of servers, since each gets a request for each image. Others are ignored.
    static let urlLimit = 16

    public init(urls: [String]) { self.urls = urls }

    /// - Parameter environment: `DEBUGINFOD_URLS`, separated by white space, and
    ///   `DEBUGINFOD_TIMEOUT`, `DEBUGINFOD_MAXTIME` and `DEBUGINFOD_MAXSIZE`, where 0 means the
    ///   default.
    public init(environment: [String: String]) {
        let words = (environment["DEBUGINFOD_URLS"] ?? "").split(whereSeparator: \.isWhitespace)
        // Other words configure the verification of signatures, which applies to distributions as a whole.
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

    /// Returns at most one day.
    private static func bounded(_ seconds: Int64) -> Int { Int(min(seconds, 86_400)) }
}
