import CallStacks
import MetricKitPayloads
import StackRendering

/// What of an input could not be read or was left out, one line each.
struct InputProblems {
    private let lines: [String]
    /// Whether something was cut, damaged or not understood, besides simply holding no diagnostic.
    let isDamaged: Bool

    /// How many lines are printed of one input.
    static let lineLimit = 20

    /// - Parameter noticed: The remarks of the answers to the diagnostics of `payload`.
    init(_ payload: Payload, noticed: Set<Remark>, name: String) {
        let unread = payload.elements.flatMap(\.unread)
        let told = Set(unread.map(\.remark))
        let all = noticed.union(payload.remarks).union(payload.elements.flatMap(\.remarks))
        let remarks = Remark.allCases.filter { $0.isLoss && all.contains($0) && !told.contains($0) }
        let isEmpty = payload.diagnostics.isEmpty
        isDamaged =
            !remarks.isEmpty || told.contains { $0 != .unknownShape || !isEmpty }
        if isEmpty, !isDamaged {
            lines = [Self.nothingFound(unread.map(\.explanation), name: name)]
        } else {
            lines =
                unread.map { "\(name): \($0.explanation): \($0.remark.next)" }
                + remarks.map { "\(name): \($0.words): \($0.next)" }
        }
    }

    func report() {
        for line in lines.prefix(Self.lineLimit) { Console.problem(line) }
        let more = lines.count - Self.lineLimit
        if more > 0 { Console.problem("and \(more) more problems like these") }
    }

    private static func nothingFound(_ explanations: [String], name: String) -> String {
        let next = "give a MetricKit payload, OTLP log records or a call stack"
        if explanations == ["text: is empty"] { return "\(name): is empty: \(next)" }
        return "\(name): holds no crash or hang diagnostic: \(next)"
    }
}

extension Remark {
    /// Whether something that was sent is not in the answer.
    fileprivate var isLoss: Bool {
        switch self {
        case .jsonTruncated, .jsonInvalid, .numberOutOfRange, .negativeOffset, .depthLimit,
            .frameLimit, .sizeLimit:
            true
        default: false
        }
    }

    fileprivate var next: String {
        switch self {
        case .jsonTruncated: "give the whole file"
        case .unknownShape: "give a MetricKit payload, OTLP log records or a call stack"
        case .sizeLimit: "give one report at a time"
        default: "the rest is answered"
        }
    }
}
