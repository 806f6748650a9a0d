import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import ReportFormats
import ReportProcessing

/// Reports as files to save. A browser never shows them as pages.
extension Response {
    /// A report in a format.
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

    /// A report in its own format.
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

    private func asDownload(named name: String, ending: String) -> Response {
        var response = self
        response.headers[.contentDisposition] =
            "attachment; filename=\"\(Self.fileName(name)).\(ending)\""
        response.headers[.cacheControl] = "private, no-store"
        return response
    }

    /// The longest name of a download, without its ending.
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
