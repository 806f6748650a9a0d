import JSONText

/// Finds the members of an object that no row of a table reads.
struct UnmappedMembers {
    /// The paths that a table reads or ignores, joined by full stops.
    private var known: Set<String> = []
    /// The paths that lead to them.
    private var containers: Set<String> = []

    /// - Parameters:
    ///   - paths: Paths to known members. Their own members count as known too.
    ///   - objects: Members that are objects in valid payloads and are read elsewhere.
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

    /// Adds all unknown members to a signal. The table's paths bound the recursion.
    func carry(from object: JSONValue, at prefix: String = "", into signal: inout SignalAttributes)
    {
        for member in object.members {
            let path = prefix.isEmpty ? member.key : "\(prefix).\(member.key)"
            if known.contains(path) { continue }
            guard containers.contains(path) else {
                signal.carry(member.value, at: path)
                continue
            }
            if member.value.kind == .object {
                carry(from: member.value, at: path, into: &signal)
            } else if member.value.kind != .null {
                signal.addUnread(member.value, at: path, because: "is not an object")
            }
        }
    }
}
