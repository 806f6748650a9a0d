/// The processes to read from a dump of the whole system.
public enum ProcessFilter: Hashable, Sendable {
    /// The process that the dump is about, or all processes if the dump names none that it
    /// contains.
    case target
    case all
    /// The processes with one of these names or numbers.
    case named([String])

    var isNamed: Bool {
        if case .named = self { true } else { false }
    }

    /// - Parameters:
    ///   - process: The process as `NAME [PID]`, as in the dump.
    ///   - isTarget: Whether the dump is about the process.
    func includes(_ process: String, isTarget: Bool) -> Bool {
        switch self {
        case .target: return isTarget
        case .all: return true
        case .named(let names):
            let (name, number) = ReportKeys.split(process)
            return names.contains { $0 == name || $0 == number || $0 == process }
        }
    }
}

extension UnreadReason {
    private static let namesLimit = 20

    /// - Parameters:
    ///   - wanted: The requested names and numbers.
    ///   - processes: The processes of the dump, not empty, possibly with duplicates.
    init(noProcess wanted: [String], among processes: [String]) {
        let names = wanted.map { "'\($0)'" }.joined(separator: " or ")
        var seen: Set<String> = []
        let processes = processes.filter { seen.insert($0).inserted }
        let more = processes.count - Self.namesLimit
        let list = processes.prefix(Self.namesLimit).joined(separator: ", ")
        self.init(
            detail: "has no process \(names)",
            suggestion: "pass one of \(list)" + (more > 0 ? " or of \(more) more" : ""))
    }
}
