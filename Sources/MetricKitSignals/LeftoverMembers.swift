import JSONText

/// Finds the members of an object that no row of a table reads.
struct LeftoverMembers {
    /// The paths that a table reads or passes over, joined by full stops.
    private var known: Set<String> = []
    /// What leads to them.
    private var containers: Set<String> = []

    /// - Parameters:
    ///   - paths: Those of objects end there: nobody looks inside of a histogram.
    ///   - objects: Members that are objects where all is well, and then read elsewhere.
    init(known paths: some Sequence<String>, objects: [String] = []) {
        containers = Set(objects)
        for path in paths {
            known.insert(path)
            var names = path.split(separator: ".").dropLast()
            while !names.isEmpty {
                containers.insert(names.joined(separator: "."))
                names.removeLast()
            }
        }
    }

    /// Carries all that is left over along. No path is deeper than the table's, so this ends soon.
    func carry(from object: JSONValue, at place: String = "", into signal: inout SignalAttributes) {
        for member in object.members {
            let path = place.isEmpty ? member.key : "\(place).\(member.key)"
            if known.contains(path) { continue }
            guard containers.contains(path) else {
                signal.carry(member.value, at: path)
                continue
            }
            if member.value.kind == .object {
                carry(from: member.value, at: path, into: &signal)
            } else if member.value.kind != .null {
                signal.note(problem: "\(path): is no object")
                signal.carry(member.value, at: path)
            }
        }
    }
}
