import FlameGraphs
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Problems
import ReportProcessing
import StackRendering

extension OutputFormat {
    /// Selects the format by the query parameter `format`, or else by `Accept`. The default is
    /// JSON.
    ///
    /// - Parameter known: The formats that the endpoint supports.
    init(of request: Request, among known: [Self]) throws(RequestError) {
        guard let name = request.queryParameters.text("format") else {
            self = Self.accepted(request.headers[.accept] ?? "")
            return
        }
        guard let format = Self(rawValue: name), known.contains(format) else {
            let names = known.map(\.rawValue)
            let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
            throw RequestError.badRequest(
                "unknown_format",
                Problem("format", detail: "'\(name)' is unknown", suggestion: "use \(list)"))
        }
        self = format
    }

    /// Returns text if the header prefers it over JSON (RFC 9110, section 12.5.1), and JSON
    /// otherwise.
    private static func accepted(_ header: String) -> Self {
        let ranges = header.split(separator: ",").map(MediaRange.init)
        func weight(_ type: String, _ family: String) -> Double {
            for name in [type, family, "*/*"] {
                if let range = ranges.first(where: { $0.name == name }) { return range.weight }
            }
            return 0
        }
        let text = weight("text/plain", "text/*")
        return text > weight("application/json", "application/*") ? .text : .json
    }

    /// Returns a response with one report, or with several as a JSON array or as consecutive texts.
    ///
    /// - Throws: A ``RequestError`` of 406 if a report cannot be written in this format.
    func response(_ outputs: [ProcessedFile.Output]) throws(RequestError) -> Response {
        let (reports, profiles) = try reports(outputs)
        if !profiles.isEmpty { return .json(bytes: SpeedscopeProfile(joining: profiles).bytes) }
        switch self {
        case .collapsed: return .text(String(decoding: Array(reports.joined()), as: UTF8.self))
        case .text, .crash: return .text(texts(reports))
        case .markdown: return .text(texts(reports), type: "text/markdown; charset=utf-8")
        case .json, .same, .speedscope:
            guard reports.count != 1 else { return .json(bytes: reports[0]) }
            let elements = reports.joined(separator: [UInt8(ascii: ",")])
            return .json(bytes: Array("[".utf8) + elements + Array("]".utf8))
        }
    }

    private func texts(_ reports: [[UInt8]]) -> String {
        String(
            decoding: Array(reports.joined(separator: [UInt8(ascii: "\n")])), as: UTF8.self)
    }

    private func reports(
        _ outputs: [ProcessedFile.Output]
    ) throws(RequestError) -> ([[UInt8]], [SpeedscopeProfile]) {
        var reports: [[UInt8]] = []
        var profiles: [SpeedscopeProfile] = []
        for (number, output) in zip(1..., outputs) {
            switch output {
            case .success(.document(let bytes)): reports.append(bytes)
            case .success(.profile(let profile)): profiles.append(profile)
            case .failure(let refusal):
                throw RequestError(
                    .notAcceptable, refusal.code,
                    refusal.problem.of("report \(number) of \(outputs.count)"))
            }
        }
        return (reports, profiles)
    }
}

extension RenderingRefusal {
    fileprivate var code: String {
        switch self {
        case .crashText: "no_crash_form"
        case .withoutSamples: "no_samples"
        }
    }
}

/// `text/plain;q=0.5`
private struct MediaRange {
    let name: String
    let weight: Double

    init(_ text: Substring) {
        let parts = text.split(separator: ";").map {
            $0.filter { !$0.isWhitespace }.lowercased()
        }
        name = parts.first ?? ""
        weight =
            parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
    }
}
