import Foundation

/// The debuginfod servers and limits, from the environment variables that all debuginfod clients
/// use.
public struct DebuginfodSettings: Sendable {
    /// The URLs, without a trailing slash.
    public var urls: [String]
    /// The timeout until the first byte and between two bytes, in seconds.
    public var silenceSeconds = 5
    /// The timeout of a whole download, in seconds.
    public var downloadSeconds = 600
    /// The maximum size of a file, in bytes.
    public var bytesLimit: Int64 = 4 << 30
    /// Headers of all requests, such as one with a token.
    public var headers: [(name: String, value: String)] = []
    /// The timeout for connecting, in seconds. An available server responds much faster.
    static let connectSeconds = 2
    /// The maximum number of servers. Further ones are ignored, because each server gets a request
    /// per image.
    static let urlLimit = 16

    public init(urls: [String]) { self.urls = urls }

    /// - Parameter environment: `DEBUGINFOD_URLS`, separated by white space, and
    ///   `DEBUGINFOD_TIMEOUT`, `DEBUGINFOD_MAXTIME` and `DEBUGINFOD_MAXSIZE`, where 0 means the
    ///   default, and `DEBUGINFOD_HEADERS_FILE`. A file that cannot be read has no headers, as for
    ///   other clients.
    public init(environment: [String: String]) {
        let words = (environment["DEBUGINFOD_URLS"] ?? "").split(whereSeparator: \.isWhitespace)
        // Other words configure the verification of signatures, which applies to distributions as a
        // whole.
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
        if let path = environment["DEBUGINFOD_HEADERS_FILE"],
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        {
            headers = RequestHeaders.headers(in: text)
        }
    }

    /// Returns a timeout of at most one day.
    private static func bounded(_ seconds: Int64) -> Int { Int(min(seconds, 86_400)) }
}
