import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LogExtraction
import Problems
import ReportFormats
import ReportProcessing

/// A form in which a page offers a report for download.
enum DownloadForm: RawRepresentable, CaseIterable, Hashable {
    /// The file as received, redacted.
    case original
    case format(OutputFormat)

    static let allCases = OutputFormat.allCases.map(Self.format) + [.original]

    private static let originalValue = "original"

    init?(rawValue: String) {
        guard rawValue != Self.originalValue else {
            self = .original
            return
        }
        guard let format = OutputFormat(rawValue: rawValue) else { return nil }
        self = .format(format)
    }

    var rawValue: String {
        switch self {
        case .original: Self.originalValue
        case .format(let format): format.rawValue
        }
    }

    var showsCallDistances: Bool {
        switch self {
        case .original: false
        case .format(let format): format.showsCallDistances
        }
    }
}

/// Reports as files to save. A browser never shows them as pages.
extension Response {
    /// Returns a report in a format.
    static func download(
        _ diagnostic: SymbolicatedDiagnostic, as format: OutputFormat, named name: String
    ) throws -> Response {
        let ending =
            switch format {
            case .crash: "crash"
            case .markdown: "md"
            case .json: "json"
            case .speedscope: "speedscope.json"
            default: "txt"
            }
        var response = try format.response([ReportRenderer().output(of: diagnostic, as: format)])
        if ![.json, .speedscope].contains(format) {
            response.headers[.contentType] = "text/plain; charset=utf-8"
        }
        return response.asDownload(named: name, ending: ending)
    }

    /// Returns a report in its own format.
    static func download(_ file: [UInt8], of format: CrashFormat, named name: String) -> Response {
        let ending =
            switch format {
            case .ips: "ips"
            case .crashText: "crash"
            default: format.isJSON ? "json" : "txt"
            }
        let type = format.isJSON ? "application/json" : "text/plain; charset=utf-8"
        return Response(status: .ok, headers: [.contentType: type], bytes: file)
            .asDownload(named: name, ending: ending)
    }

    /// Returns a file as received, redacted.
    ///
    /// - Throws: A ``RequestError`` if the file is binary, because then it cannot be redacted.
    static func download(original file: ParsedReportFile, named name: String) throws -> Response {
        guard let format = file.content.reports.first?.format, !file.file.bytes.contains(0) else {
            throw RequestError(
                .notAcceptable, "cannot_redact",
                Problem(
                    "report", detail: "a binary file cannot be redacted",
                    suggestion: "choose another format"))
        }
        return .download(file.file.bytes, of: format, named: name)
    }

    func asDownload(named name: String, ending: String) -> Response {
        var response = self
        response.headers[.contentDisposition] =
            "attachment; filename=\"\(Self.fileName(name)).\(ending)\""
        response.headers[.cacheControl] = "private, no-store"
        return response
    }

    /// The maximum length of a file name, without its extension.
    private static let fileNameLimit = 64

    private static func fileName(_ name: String) -> String {
        let plain = name.utf8.prefix(fileNameLimit).map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte) || byte == UInt8(ascii: "-")
            return isPlain ? byte : UInt8(ascii: "-")
        }
        return plain.isEmpty ? "report" : String(decoding: plain, as: UTF8.self)
    }
}
