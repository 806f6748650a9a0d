import JSONText

/// The processes of a stackshot.
struct StackshotProcesses {
    let all: [StackshotProcess]
    /// Whether the report has more processes than can be read.
    let isCut: Bool
    let isRedacted: Bool
    /// The numbers of the processes in front.
    private let front: Set<UInt64>

    init(_ root: JSONValue, limit: Int) {
        let shot = root.stackshot
        let list = shot["processByPid"]
        all = list?.members.prefix(limit).compactMap(StackshotProcess.init) ?? []
        isCut = list?.members.dropFirst(limit).contains { _ in true } == true
        isRedacted = list?.isRedacted == true
        front = Set(shot["frontmostPids"]?.elements.prefix(limit).compactMap(\.unsigned) ?? [])
    }

    var inFront: [StackshotProcess] { all.filter(isInFront) }

    /// Returns the processes to read; empty if none of those that the user wants is there.
    func selected(by filter: ProcessFilter) -> [StackshotProcess] {
        let selected = all.filter { filter.includes($0.label, isTarget: isInFront($0)) }
        return selected.isEmpty && filter == .target ? all : selected
    }

    private func isInFront(_ process: StackshotProcess) -> Bool {
        process.number.map(front.contains) ?? false
    }
}

extension JSONValue {
    /// The stackshot of a report: a member of a watchdog's, or else the report itself.
    var stackshot: JSONValue { self["stackshot"] ?? self }
}
