import Crypto
import Decompression
import HTTPTypes
import HexadecimalDigits
import Hummingbird
import HummingbirdCore
import Pages
import Problems

/// The style sheet and the script of the pages, compressed once. Their path contains a digest of
/// their content, so browsers can cache them forever.
struct PageAssetFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let bytes: [UInt8]
        /// The compressed content, or `nil` if compression failed.
        let compressed: [UInt8]?

        init(_ bytes: [UInt8], type: String) {
            self.type = type
            self.bytes = bytes
            compressed = try? CompressedBody(gzipping: bytes, level: 12).bytes
        }
    }

    static let styleSheetName = "pages.css"
    static let scriptName = "pages.js"
    static let iconName = "icon.svg"

    /// A digest of all files.
    let version: String
    private let files: [String: File]

    init() {
        let (style, script, icon) = (PageAssets.styleSheet, PageAssets.script, PageAssets.icon)
        version = Self.digest(style + script + icon)
        files = [
            Self.styleSheetName: File(style, type: "text/css; charset=utf-8"),
            Self.scriptName: File(script, type: "text/javascript; charset=utf-8"),
            Self.iconName: File(icon, type: "image/svg+xml"),
        ]
    }

    /// Returns the first half of the SHA-256 in hexadecimal digits.
    static func digest(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(16).hexadecimal
    }

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>, _ site: PageSite) {
        routes.get(site.route("/assets/:version/:name"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        guard try context.parameters.pathText("version") == version,
            let file = files[try context.parameters.pathText("name")]
        else {
            throw RequestError.notFound(
                Problem("asset", detail: "unknown", suggestion: "reload the page"))
        }
        var headers: HTTPFields = [
            .contentType: file.type, .vary: "Accept-Encoding",
            .cacheControl: "public, max-age=31536000, immutable",
        ]
        guard let compressed = file.compressed, request.acceptsGzip else {
            return Response(status: .ok, headers: headers, bytes: file.bytes)
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, bytes: compressed)
    }
}
