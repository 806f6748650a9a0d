import CallStacks
import MetricKitPayloads
import Problems
import ReportFormats
import StackRendering

/// The problems of an input: the parts that could not be read.
struct InputProblems {
    private let all: [Problem]
    /// Why no report was found, or `nil` if there was one.
    let nothingFound: Problem?
    /// Whether a part of the input was truncated, damaged or not understood. A file without a
    /// report does not count.
    let isDamaged: Bool

    /// The maximum number of problems printed per input.
    static let limit = 20

    /// The suggestion for inputs without a report.
    static let suggestion =
        "use a crash, hang or backtrace file; 'symbolist symbolicate --help' lists the formats"

    /// - Parameters:
    ///   - noticed: The remarks of the symbolicated reports of `file`.
    ///   - truncated: The truncated reports. Their problems replace the remark about truncation.
    ///   - damage: Why the file is incomplete, or `nil` if it is whole. It replaces other problems
    ///     with the end of the file.
    ///   - text: The content of `file`, from which lines are counted, or `nil` if it is not the
    ///     whole input.
    ///   - suggestion: What to give instead of a file without a report.
    init(
        _ file: CrashFile, noticed: Set<Remark>, truncated: [IncompleteReport], name: String,
        damage: Problem?, text: [UInt8]? = nil, suggestion: String = Self.suggestion
    ) {
        if let damage {
            nothingFound = nil
            isDamaged = true
            all = [damage.inside(name)] + truncated.map { $0.problem(of: name) }
            return
        }
        let explained = Set(file.unread.map(\.remark))
        let noted = noticed.union(file.remarks)
        let remarks = Remark.allCases.filter {
            $0.isLoss && noted.contains($0) && !explained.contains($0)
        }
        let isEmpty = file.reports.isEmpty
        isDamaged =
            !remarks.isEmpty || explained.contains { $0 != .unknownShape || !isEmpty }
        if isEmpty, !isDamaged {
            all = []
            let reason =
                file.unread.first?.problem ?? Problem(detail: "contains no crash or hang report")
            nothingFound = reason.inside(name).suggesting(suggestion)
        } else {
            nothingFound = nil
            let isOneOfSeveral = file.reports.count + file.unread.count > 1
            var lines = LineCount(isOneOfSeveral ? text : nil)
            all =
                file.unread.map { part in
                    let line = lines.line(at: part.range.lowerBound).map { "line \($0)" }
                    let problem = line.map(part.problem.inside) ?? part.problem
                    return problem.inside(name).suggesting(part.remark.suggestion ?? suggestion)
                }
                + truncated.map { $0.problem(of: name) }
                + remarks.filter { truncated.isEmpty || !$0.isEarlyEnd }.map {
                    Problem(name, detail: $0.detail, suggestion: $0.suggestion)
                }
        }
    }

    /// The problems to print.
    var shown: [Problem] {
        let more = all.count - Self.limit
        return all.prefix(Self.limit)
            + (more > 0 ? [Problem(detail: "and \(more) more problems like these")] : [])
    }
}

extension Remark {
    /// Whether part of the input is missing in the output.
    fileprivate var isLoss: Bool {
        switch self {
        case .jsonTruncated, .jsonInvalid, .numberOutOfRange, .negativeOffset, .depthLimit,
            .frameLimit, .sizeLimit, .textTruncated:
            true
        default: false
        }
    }

    /// The problem. The depth limit may be that of the report's writer, such as MetricKit.
    fileprivate var detail: String {
        let limit = PayloadLimits().nestedFrames
        return self == .depthLimit
            ? "a stack lacks frames beyond a depth limit: its writer's, or \(limit) frames" : words
    }

    /// The next step, or `nil` if another file is needed.
    fileprivate var suggestion: String? {
        switch self {
        case .jsonTruncated, .textTruncated: "pass the whole file"
        case .unknownShape: nil
        case .sizeLimit: "pass one report at a time"
        default: "the rest is read"
        }
    }
}
