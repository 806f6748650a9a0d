import CallStacks
import MetricKitPayloads

/// What of an input could not be read, one line each.
struct PayloadProblems {
    private let lines: [String]
    /// Whether something was cut or damaged, besides simply holding no diagnostic.
    private let isDamaged: Bool

    init(_ payload: Payload, name: String) {
        let shown = name == "-" ? "standard input" : name
        let unread = payload.elements.flatMap(\.unread)
        let remarks = payload.remarks + payload.elements.flatMap(\.remarks)
        isDamaged =
            (unread.map(\.remark) + remarks).contains { $0 != .unknownShape && $0 != .simulated }
        var lines = unread.map { "\(shown): \($0.explanation)" }
        if lines.isEmpty {
            lines = remarks.filter { $0 != .unknownShape }.map { "\(shown): \($0.rawValue)" }
        }
        if payload.diagnostics.isEmpty, lines.isEmpty {
            lines.append("\(shown): holds no crash or hang diagnostic: give a MetricKit payload")
        }
        self.lines = lines
    }

    /// Prints the lines.
    ///
    /// - Returns: Whether everything could be read.
    func report() -> Bool {
        for line in lines { Console.problem(line) }
        return !isDamaged
    }
}
