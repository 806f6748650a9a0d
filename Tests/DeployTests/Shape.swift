import Foundation

/// What a value of a YAML document may be, for the parts of a schema that the files use.
indirect enum Shape: Sendable {
    /// No value.
    case empty
    case text
    case number
    case boolean
    /// A number, or a text such as `60Gi`.
    case quantity
    case choice([String])
    /// A map with any keys.
    case map(Shape)
    case list(Shape)
    /// A map with these keys only.
    case object([String: Shape], required: [String] = [])
    case either(Shape, Shape)

    static func only(_ keys: [String: Shape]) -> Self { .object(keys) }

    /// Returns what is wrong with a value.
    func problems(in value: Any, at path: String = "") -> [String] {
        switch (self, value) {
        case (.empty, is NSNull), (.text, is String), (.number, is Int), (.boolean, is Bool),
            (.quantity, is Int),
            (.quantity, is String):
            return []
        case (.choice(let choices), let text as String) where choices.contains(text): return []
        case (.map(let shape), let map as [String: Any]):
            return map.flatMap { shape.problems(in: $1, at: "\(path)/\($0)") }
        case (.list(let shape), let list as [Any]):
            return list.enumerated().flatMap { shape.problems(in: $1, at: "\(path)/\($0)") }
        case (.object(let shapes, let required), let map as [String: Any]):
            let missing = required.filter { map[$0] == nil }.map { "\(path)/\($0): is missing" }
            return missing
                + map.flatMap { key, value in
                    shapes[key]?.problems(in: value, at: "\(path)/\(key)")
                        ?? ["\(path)/\(key): is unknown"]
                }
        case (.either(let first, let second), _):
            let found = first.problems(in: value, at: path)
            return found.isEmpty ? [] : second.problems(in: value, at: path)
        default: return ["\(path): is not \(self)"]
        }
    }
}
