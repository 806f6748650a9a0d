/// The settings of the web pages.
public struct PageSettings: Sendable {
    /// The URL by which browsers reach the pages, or `nil` for the address of each request. Its
    /// path is the prefix of all pages.
    public var url: String?
    /// The lifetime of a sign-in, in seconds.
    public var signInSeconds: Int64 = 12 * 3_600
    /// The key that signs cookies: ``PageKey/byteCount`` random bytes.
    public var key = PageKey()
    /// The memory for dropped reports, in bytes.
    public var droppedBytes = 64 << 20
    /// The template of links to source files, with `{path}` and `{line}`.
    public var sourceLinks: String?
    /// The template of links to traces, with `{trace_id}` and `{span_id}`.
    public var traceLinks: String?

    public init() {}
}

extension PageSettings {
    /// The path of ``url`` without a slash at its end; empty for the root.
    var prefix: String {
        guard let url, let start = url.firstRange(of: "://")?.upperBound,
            let slash = url[start...].firstIndex(of: "/")
        else { return "" }
        var path = url[slash...].prefix { $0 != "?" && $0 != "#" }
        while path.last == "/" { path.removeLast() }
        return String(path)
    }

    /// The host of ``url``, which requests without a token may name.
    var host: String? { hostAndPort?.host.text }

    /// The URL of the service's root, or `nil` without ``url``. Only pages are below ``prefix``.
    var root: String? { hostAndPort.map { "\(isSecure ? "https" : "http")://\($0.text)" } }

    private var hostAndPort: HostAndPort? {
        guard let url, let start = url.firstRange(of: "://")?.upperBound else { return nil }
        return HostAndPort(url[start...].prefix { !"/?#".contains($0) })
    }

    var isSecure: Bool { url?.lowercased().hasPrefix("https:") ?? false }
}
