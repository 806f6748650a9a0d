import FlameGraphs
import ReportProcessing
import StackRendering

/// A part of the output for an input.
enum OutputPart: Sendable {
    /// A symbolicated report as text or as a JSON object, with a heading that distinguishes it from
    /// the run's other reports, or `nil` if it is the only one.
    case report([UInt8], heading: String?)
    /// Bytes written unchanged: lines around the reports of a log, or the input in its own format.
    case lines([UInt8])
    /// A report that shares a document with the run's other reports.
    case profile(SpeedscopeProfile)

    init(_ report: RenderedReport, heading: String?) {
        switch report {
        case .document(let bytes): self = .report(bytes, heading: heading)
        case .profile(let profile): self = .profile(profile)
        }
    }

    var byteCount: Int {
        switch self {
        case .report(let bytes, _), .lines(let bytes): bytes.count
        case .profile(let profile): profile.byteCount
        }
    }
}

/// Joins the parts of the output: texts one after another, JSON as one document, which is an object
/// for a single report and an array for several, profiles as one document.
struct OutputJoiner {
    private let format: OutputFormat
    private var isJSON: Bool { format == .json }
    private var reportCount = 0
    private var endsWithReport = false
    /// The first JSON object, until a second one follows or the output ends.
    private var held: [UInt8]?
    private var profiles: [SpeedscopeProfile] = []

    init(_ format: OutputFormat) { self.format = format }

    /// Returns the bytes to write for a part.
    mutating func bytes(of part: OutputPart) -> [UInt8] {
        switch part {
        case .lines(let bytes):
            endsWithReport = false
            return bytes
        case .report(let bytes, let heading):
            defer {
                reportCount += 1
                endsWithReport = true
            }
            return isJSON ? elements(adding: bytes) : text(bytes, heading: heading)
        case .profile(let profile):
            profiles.append(profile)
            return []
        }
    }

    /// Returns the bytes that end the output.
    mutating func end() -> [UInt8] {
        defer { (held, profiles) = (nil, []) }
        if !profiles.isEmpty {
            return SpeedscopeProfile(joining: profiles).bytes + [UInt8(ascii: "\n")]
        }
        if let held { return held + [UInt8(ascii: "\n")] }
        return isJSON && reportCount > 1 ? Array("]\n".utf8) : []
    }

    /// Returns a report below its heading, in the style of `head` or of Markdown.
    private func text(_ bytes: [UInt8], heading: String?) -> [UInt8] {
        // Every line is data.
        guard format != .collapsed else { return bytes }
        let title =
            heading.map { heading in
                format == .markdown
                    ? MarkdownReport.title(heading) + "\n" : "==> \(Console.oneLine(heading)) <==\n"
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
