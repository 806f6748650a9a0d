import ReportFormats

/// The format of the lines that a ``ReportStream`` buffers, which determines where the report ends.
enum BufferedFormat: Equatable {
    /// Binary data, up to the end of the stream.
    case binary
    /// JSON over several lines, or text after a JSON header.
    case document(BufferedDocument)
    /// JSON on one line.
    case value
    /// Text with addresses in most of its lines.
    case text
    /// Text that consists only of lines of one kind.
    case rows
    /// Stacks in a notation.
    case stacks(PrefixedNotation)
    /// JSON log records with the lines of stacks in a notation, one line each.
    case stackRecords(PrefixedNotation, key: String)
    /// Output of a program before a report, if one follows.
    case preamble
    /// Lines of keys and values at the start of a stream, which may be the header of a report.
    case heading
    /// A text report after its last line. On a Mac, the full report may follow as JSON.
    case ended
    /// JSON log records, starting with the one that begins a report.
    case records
    /// A record that may begin a report or describe a process.
    case recordHeading

    /// The number of consecutive lines without a sign of the report after which it ends.
    var idleLinesLimit: Int {
        switch self {
        case .stacks(let stacks), .stackRecords(let stacks, _): stacks.notation.gapLimit + 1
        default: ReportStream.idleLinesLimit
        }
    }

    /// Whether only a further line can show that this is a report.
    var isOpen: Bool { self == .preamble || self == .heading || self == .recordHeading }

    /// Whether the lines belong to a report only if one with a key of a report follows.
    var isUndecided: Bool {
        if case .document(let document) = self { !document.isReport } else { false }
    }

    /// Whether the lines belong to a report if the stream ends after them.
    var isReportAtEnd: Bool {
        if case .document(let document) = self { document.isReportAtEnd } else { !isOpen }
    }

    /// Adds a part of a line that is too long to be examined as a whole.
    mutating func addPart(_ bytes: ArraySlice<UInt8>) {
        guard case .document(var document) = self else { return }
        document.addPart(bytes)
        self = .document(document)
    }
}
