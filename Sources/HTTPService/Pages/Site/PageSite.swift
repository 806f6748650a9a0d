import CallStacks
import Decompression
import HTMLText
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Pages
import SymbolIntake

/// The parts that the page controllers share: settings, assets, sessions, and the form of their
/// responses.
struct PageSite: Sendable {
    let settings: PageSettings
    let tokens: Tokens
    /// The names of the service.
    let hosts: AllowedHosts
    /// The redaction level of everything that a page shows or offers for download.
    let redaction: RedactionLevel
    let assets: PageAssetFiles
    let sessions: SignInSessions
    let prefix: String
    let isSecure: Bool

    /// The minimum size of a page that is compressed, in bytes.
    private static let compressedBytes = 1_024
    /// A higher level takes two to three times as long, and makes pages at most a quarter smaller.
    private static let compressionLevel = 1

    init(
        _ settings: PageSettings, tokens: Tokens, hosts: AllowedHosts,
        redaction: RedactionLevel, hasCertificate: Bool
    ) {
        self.settings = settings
        self.tokens = tokens
        self.hosts = hosts
        self.redaction = redaction
        prefix = settings.prefix
        isSecure = hasCertificate || settings.isSecure
        assets = PageAssetFiles()
        sessions = SignInSessions(settings, isSecure: isSecure)
    }

    /// The first segments of the paths of pages, below the prefix.
    static let segments: Set<Substring> = [
        "g", "d", "missing", "images", "builds", "versions", "health", "drop", "r", "search",
        "flame", "sign-in", "sign-out", "keys", "view", "assets",
    ]

    /// Whether a path is one of the pages.
    func isPage(_ path: String) -> Bool {
        guard path.hasPrefix(prefix) else { return false }
        let rest = path.dropFirst(prefix.utf8.count)
        guard rest.isEmpty || rest.hasPrefix("/") else { return false }
        let segment = rest.drop { $0 == "/" }.prefix { $0 != "/" }
        return segment.isEmpty || Self.segments.contains(segment)
    }

    /// Returns a route below the prefix.
    func route(_ path: String) -> RouterPath { RouterPath(prefix + path) }

    /// Returns a link to a page.
    func link(
        _ segments: String..., query: [(name: String, value: String?)] = []
    ) -> LinkTarget {
        LinkTarget(prefix: prefix, segments: segments, query: query)
    }

    func context(
        of request: Request, _ context: HTTPRequestContext, _ parts: PageParts = PageParts()
    ) -> PageContext {
        var page = PageContext(
            prefix: prefix, serverURL: serverURL(of: request, context),
            styleSheet: link("assets", assets.version, PageAssetFiles.styleSheetName),
            script: link("assets", assets.version, PageAssetFiles.scriptName),
            icon: link("assets", assets.version, PageAssetFiles.iconName))
        page.theme =
            viewWords(of: request).compactMap(PageContext.Theme.init(rawValue:)).first
        page.viewer = viewer(of: request, context)
        page.needsToken = !tokens.isEmpty
        page.here = request.head.path ?? ""
        page.failedParts = parts.failures
        return page
    }

    /// Returns the name of the caller's token. If the request was not admitted by a token, as for
    /// error pages and pages that need none, it is that of the sign-in.
    private func viewer(of request: Request, _ context: HTTPRequestContext) -> String? {
        guard !tokens.isEmpty else { return nil }
        if context.caller != .anonymous { return context.caller.name }
        return sessions.session(of: request, context, now: UnixTime.now())
            .flatMap { tokens.name(signedInWith: $0.grant) }
    }

    /// The cookie with the chosen colours and views.
    static let viewCookie = SignInSessions.cookieName + "_view"

    /// Returns the address to show in commands: the configured one, or else the one that the
    /// browser used, or else a placeholder.
    ///
    /// The commands send files and a token to this address, so it must be a name of the service.
    private func serverURL(of request: Request, _ context: HTTPRequestContext) -> String {
        if let root = settings.root { return root }
        let scheme = isSecure ? "https" : "http"
        let requested = (try? OriginHeaders(request.head).host()) ?? nil
        guard let requested, hosts.contains(requested.host, local: context.localHost)
        else { return "\(scheme)://\(Self.hostPlaceholder)" }
        return "\(scheme)://\(requested.text)"
    }

    /// The placeholder for the host if the page was opened under a name that may not be the
    /// service's.
    private static let hostPlaceholder = "HOST"

    /// Returns a page, compressed if the browser accepts that, or 304 if the browser already has
    /// the same page.
    func response(
        _ page: [UInt8], to request: Request, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let tag = PageAssetFiles.digest(page)
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "private, no-cache",
            .vary: "Accept-Encoding, Cookie", .eTag: "\"\(tag)\"",
        ]
        if status == .ok, request.headers[.ifNoneMatch]?.contains(tag) ?? false {
            return Response(status: .notModified, headers: headers)
        }
        guard page.count >= Self.compressedBytes, request.acceptsGzip else {
            return Response(status: status, headers: headers, bytes: page)
        }
        headers[.contentEncoding] = "gzip"
        let body = try CompressedBody(gzipping: page, level: Self.compressionLevel)
        return Response(status: status, headers: headers, bytes: body.bytes)
    }

    /// Redirects a browser to another page with GET, or returns its path to a script.
    func redirect(to target: LinkTarget, from request: Request) throws -> Response {
        guard request.wantsJSON else {
            return Response(
                status: .seeOther, headers: [.location: target.text, .cacheControl: "no-store"])
        }
        return try .json(Location(location: target.text))
    }

    private struct Location: Encodable { let location: String }
}

extension Request {
    /// Whether the client is a script that requests JSON, rather than a browser that opens a page.
    var wantsJSON: Bool {
        let accepted = headers[.accept] ?? ""
        return accepted.contains("application/json") && !accepted.contains("text/html")
    }

    /// Whether the client is a browser that opens a page.
    var wantsHTML: Bool { headers[.accept]?.contains("text/html") ?? false }

    var acceptsGzip: Bool {
        let codings = headers[.acceptEncoding]?.split(separator: ",") ?? []
        return codings.contains { coding in
            let parts = coding.lowercased().split(separator: ";").map {
                $0.filter { !$0.isWhitespace }
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return parts.first == "gzip" && weight.flatMap { Double($0) } != 0
        }
    }

    /// Returns the value of a cookie.
    func cookie(_ name: String) -> String? {
        let pairs = headers[.cookie]?.split(separator: ";") ?? []
        for pair in pairs {
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name), pair.dropFirst(name.count).first == "=" else { continue }
            return String(pair.dropFirst(name.count + 1))
        }
        return nil
    }
}

extension Response {
    init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
