/// Which processes are read of a dump of the whole system.
public enum ProcessChoice: Hashable, Sendable {
    /// The one that the dump is about, and all where it names none that it has.
    case target
    case all
    /// Those with one of these names or numbers.
    case named([String])

    var isNamed: Bool {
        if case .named = self { true } else { false }
    }

    /// - Parameters:
    ///   - process: As a dump calls it: `NAME [PID]`.
    ///   - dump: The keys of the dump.
    func takes(_ process: String, of dump: ReportKeys) -> Bool {
        switch self {
        case .target: return dump.isTarget(process)
        case .all: return true
        case .named(let names):
            let (name, number) = ReportKeys.split(process)
            return names.contains { $0 == name || $0 == number || $0 == process }
        }
    }
}

extension Refusal {
    private static let namesLimit = 20

    /// - Parameters:
    ///   - wanted: What was asked for.
    ///   - processes: What the dump has, not empty; one may be there several times.
    init(noProcess wanted: [String], among processes: [String]) {
        let names = wanted.map { "'\($0)'" }.joined(separator: " or ")
        var told: Set<String> = []
        let processes = processes.filter { told.insert($0).inserted }
        let more = processes.count - Self.namesLimit
        let list = processes.prefix(Self.namesLimit).joined(separator: ", ")
        self.init(
            "file: has no process \(names): give one of \(list)"
                + (more > 0 ? " or of \(more) more" : ""))
    }
}
