import StackRendering

/// A part of the answer to an input.
enum AnswerPart: Sendable {
    /// The answer to one report, as text or as a JSON object, with what tells it from the others of
    /// the run; `nil` where there is only one.
    case report([UInt8], heading: String?)
    /// What goes out as it is: lines around the reports of a log, or the input in its own form.
    case lines([UInt8])
}

/// Puts the parts of answers together: texts one after another, and JSON as one document, which is an
/// object for a single report and an array for several.
struct AnswerJoining {
    private let format: SymbolicateCommand.Format
    private var isJSON: Bool { format == .json }
    private var reportCount = 0
    private var endsWithReport = false
    /// The first JSON object, until it is known whether it stays the only one.
    private var held: [UInt8]?

    init(_ format: SymbolicateCommand.Format) { self.format = format }

    /// The bytes to write for a part.
    mutating func bytes(of part: AnswerPart) -> [UInt8] {
        switch part {
        case .lines(let bytes):
            endsWithReport = false
            return bytes
        case .report(let bytes, let heading):
            defer {
                reportCount += 1
                endsWithReport = true
            }
            return isJSON ? elements(adding: bytes) : text(bytes, heading)
        }
    }

    /// What ends the answer.
    mutating func end() -> [UInt8] {
        defer { held = nil }
        if let held { return held + [UInt8(ascii: "\n")] }
        return isJSON && reportCount > 1 ? Array("]\n".utf8) : []
    }

    /// Headed as `head` shows each of several files, or by a heading of Markdown.
    private func text(_ bytes: [UInt8], _ heading: String?) -> [UInt8] {
        let title =
            heading.map { heading in
                format == .markdown
                    ? MarkdownReport.title(heading) + "\n" : "==> \(heading) <==\n"
            } ?? ""
        return Array(((endsWithReport ? "\n" : "") + title).utf8) + bytes
    }

    private mutating func elements(adding object: [UInt8]) -> [UInt8] {
        guard reportCount > 0 else {
            held = object
            return []
        }
        let start = held.map { Array("[".utf8) + $0 } ?? []
        held = nil
        return start + Array(",\n".utf8) + object
    }
}
