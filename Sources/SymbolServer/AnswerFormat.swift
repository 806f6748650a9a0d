import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import JSONText
import StackRendering

/// How symbolicated diagnostics are written into a response.
enum AnswerFormat: String, CaseIterable {
    case text, json
    /// The form in which it was sent, for endpoints that were sent something.
    case same
    /// As the text of an Apple report, for crashes.
    case crash
    /// To be pasted into an issue.
    case markdown

    /// By `format` of the query, else by `Accept`; JSON where neither says anything.
    ///
    /// - Parameter known: The formats that the endpoint can answer in.
    init(of request: Request, among known: [Self]) throws {
        guard let name = request.uri.queryParameters.text("format") else {
            self = Self.accepted(request.headers[.accept] ?? "")
            return
        }
        guard let format = Self(rawValue: name), known.contains(format) else {
            let names = known.map(\.rawValue)
            let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
            throw RequestError.badRequest(
                "unknown_format", "format: '\(name)' is not known: ask for \(list)")
        }
        self = format
    }

    /// Text only where the header wants it more than JSON (RFC 9110, section 12.5.1).
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

    /// Whether an inlined call is written with its distance, as Apple does.
    var showsCallDistances: Bool { self == .same || self == .crash }

    /// One diagnostic as it is, several as an array or one text after another.
    ///
    /// - Throws: 406, for a diagnostic that has no such form.
    func response(_ answers: [SymbolicatedDiagnostic]) throws(RequestError) -> Response {
        switch self {
        case .text:
            return .text(answers.map { StackText().report(of: $0) }.joined(separator: "\n"))
        case .crash: return .text(try crashTexts(answers).joined(separator: "\n"))
        case .markdown:
            let texts = answers.map { MarkdownReport().report(of: $0) }
            return .text(texts.joined(separator: "\n"), type: "text/markdown; charset=utf-8")
        case .json, .same:
            var writer = JSONWriter()
            if answers.count != 1 { writer.beginArray() }
            for answer in answers { StackJSON(hasDetails: true).write(answer, to: &writer) }
            if answers.count != 1 { writer.endArray() }
            return .json(bytes: writer.bytes)
        }
    }

    private func crashTexts(_ answers: [SymbolicatedDiagnostic]) throws(RequestError) -> [String] {
        var texts: [String] = []
        for (number, answer) in zip(1..., answers) {
            do throws(CrashForm.Refusal) {
                texts.append(try CrashForm(of: answer).text)
            } catch {
                throw RequestError(
                    .notAcceptable, "no_crash_form",
                    "report \(number) of \(answers.count): \(error)")
            }
        }
        return texts
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
