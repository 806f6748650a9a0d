import CallStacks
import CrashFiles
import MetricKitPayloads
import StackRendering

/// What of an input could not be read or was left out, one line each.
struct InputProblems {
    private let all: [String]
    /// Why nothing was found, and what to give instead; `nil` where something was.
    let nothingFound: String?
    /// Whether something was cut, damaged or not understood, besides simply holding no report.
    let isDamaged: Bool

    /// How many lines are printed of one input.
    static let lineLimit = 20

    /// - Parameters:
    ///   - noticed: The remarks of the answers to the reports of `file`.
    ///   - cut: What is missing in reports that broke off, which says more than that they did.
    ///   - damage: Why not all of the file was there to be read, which tells enough of its end.
    init(
        _ file: CrashFile, noticed: Set<Remark>, cut: [MissingParts], name: String, damage: String?
    ) {
        if let damage {
            nothingFound = nil
            isDamaged = true
            all = ["\(name): \(damage)"] + cut.map { $0.line(for: name) }
            return
        }
        let told = Set(file.unread.map(\.remark))
        let noted = noticed.union(file.remarks)
        let remarks = Remark.allCases.filter {
            $0.isLoss && noted.contains($0) && !told.contains($0)
        }
        let isEmpty = file.reports.isEmpty
        isDamaged =
            !remarks.isEmpty || told.contains { $0 != .unknownShape || !isEmpty }
        if isEmpty, !isDamaged {
            all = []
            nothingFound = Self.nothingFound(file.unread.map(\.explanation), name: name)
        } else {
            nothingFound = nil
            all =
                file.unread.map { "\(name): \(Self.line($0.explanation, next: $0.remark.next))" }
                + cut.map { $0.line(for: name) }
                + remarks.filter { cut.isEmpty || !$0.isEarlyEnd }
                .map { "\(name): \($0.problem): \($0.next)" }
        }
    }

    var lines: [String] {
        let more = all.count - Self.lineLimit
        return all.prefix(Self.lineLimit)
            + (more > 0 ? ["and \(more) more problems like these"] : [])
    }

    private static func nothingFound(_ explanations: [String], name: String) -> String {
        let next = "give \(CrashFormat.allWords)"
        guard let reason = explanations.first else {
            return "\(name): holds no crash or hang report: \(next)"
        }
        // What is about the whole file says itself what to do.
        let subject = "file: "
        if reason.hasPrefix(subject) { return "\(name): \(reason.dropFirst(subject.count))" }
        return "\(name): \(line(reason, next: next))"
    }

    /// A reason with what to do, which one that is `subject: what happened: next step` says itself.
    private static func line(_ reason: String, next: String) -> String {
        reason.ranges(of: ": ").count > 1 ? reason : "\(reason): \(next)"
    }
}

extension Remark {
    /// Whether something that was sent is not in the answer.
    fileprivate var isLoss: Bool {
        switch self {
        case .jsonTruncated, .jsonInvalid, .numberOutOfRange, .negativeOffset, .depthLimit,
            .frameLimit, .sizeLimit, .textTruncated:
            true
        default: false
        }
    }

    /// What happened, with the limit that was reached.
    fileprivate var problem: String {
        self == .depthLimit
            ? "a stack has more than \(PayloadLimits().nestedFrames) frames on one another, the limit"
            : words
    }

    fileprivate var next: String {
        switch self {
        case .jsonTruncated, .textTruncated: "give the whole file"
        case .unknownShape: "give \(CrashFormat.allWords)"
        case .sizeLimit: "give one report at a time"
        default: "the rest is answered"
        }
    }
}
