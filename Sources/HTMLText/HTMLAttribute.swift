/// An attribute of an element.
public struct HTMLAttribute: Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Int)
        /// A Boolean attribute that is set, such as `hidden`.
        case none
        /// The attribute is not written.
        case absent
    }

    let name: StaticString
    let value: Value

    /// - Parameter value: The value, or `nil` to omit the attribute.
    public init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value.map(Value.text) ?? .absent
    }

    public init(_ name: StaticString, _ value: Int) {
        self.name = name
        self.value = .number(value)
    }

    /// A Boolean attribute, which is written only if it is set.
    public init(_ name: StaticString, isSet: Bool) {
        self.name = name
        value = isSet ? .none : .absent
    }

    public static func id(_ value: String?) -> Self { Self("id", value) }
    public static func type(_ value: String) -> Self { Self("type", value) }
    public static func name(_ value: String) -> Self { Self("name", value) }
    public static func value(_ value: String) -> Self { Self("value", value) }
    public static func title(_ value: String?) -> Self { Self("title", value) }

    /// The class attribute, without the names that are `nil`.
    public static func `class`(_ names: String?...) -> Self {
        let names = names.compactMap(\.self)
        return Self("class", names.isEmpty ? nil : names.joined(separator: " "))
    }

    /// The class attribute with one name.
    public static func `class`(_ name: String) -> Self { Self("class", name) }

    /// The target of a link.
    public static func href(_ target: LinkTarget) -> Self { Self("href", target.text) }

    /// The target of a form.
    public static func action(_ target: LinkTarget) -> Self { Self("action", target.text) }
}
