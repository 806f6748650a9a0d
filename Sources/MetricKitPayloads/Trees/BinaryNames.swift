import CallStacks
import JSONText

/// The `binaryInfo` of a tree of iOS 27: names by UUID, which its frames do not repeat.
///
/// Swift's `Codable` writes a dictionary keyed by `UUID` as an array of alternating keys and
/// values; an object is read too. Reading ends at invalid content, which does not affect the
/// frames.
struct BinaryNames {
    private(set) var names: [ImageID: String] = [:]

    init(_ value: JSONValue?, limits: PayloadLimits) {
        guard let value else { return }
        if value.kind == .object {
            for member in value.members {
                guard add(key: member.key, binary: member.value, limits: limits) else { return }
            }
        } else {
            var pieces = value.elements
            while let key = pieces.next()?.string, let binary = pieces.next() {
                guard add(key: key, binary: binary, limits: limits) else { return }
            }
        }
    }

    private mutating func add(key: String, binary: JSONValue, limits: PayloadLimits) -> Bool {
        guard binary.kind == .object, names.count < limits.imagesPerTree else { return false }
        guard let image = ImageID(binary["uuid"]?.string ?? key) ?? ImageID(key),
            let name = binary["name"]?.string
        else { return true }
        names[image] = String(name.prefix(limits.nameLength))
        return true
    }
}
