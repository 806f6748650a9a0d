import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LogExtraction
import MetricKitPayloads
import Pages
import Redaction
import ReportProcessing

/// Reports as received, and the choices that a browser remembers.
extension PageSite {
    /// Returns the processor that reads and redacts reports for pages.
    func reportProcessor(limits: PayloadLimits) -> ReportProcessor {
        var processor = ReportProcessor(reader: CrashFileReader(limits: limits), format: .json)
        processor.redaction = redaction
        return processor
    }

    /// The maximum size of the part of a report that is shown as received, in bytes.
    private static let originalLimit = 256 << 10

    static let unreadableOriginal = "The report cannot be shown as received."

    /// Returns the text of a file, redacted like everything else on a page.
    func original(_ file: ParsedReportFile) -> String {
        let bytes = file.file.bytes
        guard !bytes.contains(0) else { return Self.unreadableOriginal }
        let text = String(decoding: bytes.prefix(Self.originalLimit), as: UTF8.self)
        return bytes.count > Self.originalLimit ? text + "\n… cut after 256 KiB" : text
    }

    /// Returns the words of the cookie with the chosen colours and views.
    func viewWords(of request: Request) -> [String] {
        (request.cookie(Self.viewCookie) ?? "").split(separator: ".").prefix(8).map(String.init)
    }

    static func viewCookie(theme: PageContext.Theme?, _ words: [String]) -> String {
        let all = [theme?.rawValue].compactMap(\.self) + words
        return "\(viewCookie)=\(all.joined(separator: ".")); Path=/; SameSite=Lax; Max-Age="
            + (all.isEmpty ? "0" : "31536000")
    }

    /// Returns a page. If the URL chooses another view, a cookie remembers it for other pages.
    func response(
        _ page: [UInt8], to request: Request, remembering options: DiagnosticViewOptions
    ) throws -> Response {
        var response = try response(page, to: request)
        let theme = viewWords(of: request).compactMap(PageContext.Theme.init(rawValue:)).first
        if Set(options.words) != options.remembered {
            response.headers.append(
                HTTPField(name: .setCookie, value: Self.viewCookie(theme: theme, options.words)))
        }
        return response
    }
}
