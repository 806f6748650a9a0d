/// The context of a JSON value: the keys above it that decide whether it is private.
struct KeyContext {
    /// The nearest sensitive key above.
    private(set) var key: SensitiveKey?
    /// Whether the value is the base64 text of an OpenTelemetry bytes value.
    private(set) var isBase64 = false
    /// The nearest key above, if it is one of ``SensitiveKey/scopes``.
    private var scope: String?

    /// The context of an element of an array.
    var element: Self {
        var element = self
        element.isBase64 = false
        return element
    }

    /// Returns the context of an object's member.
    func child(named name: String) -> Self {
        var child = self
        child.key = keyOfChild(named: name)
        child.isBase64 = name == "bytesValue" || name == "bytes_value"
        // Sentry writes a list as {"exception": {"values": […]}}.
        if name != "values" { child.scope = SensitiveKey.scopes.contains(name) ? name : nil }
        return child
    }

    /// Returns the context of a value whose name is given by another value, or `nil` if the name is
    /// not sensitive.
    func child(titled name: String) -> Self? {
        let child = child(named: name)
        return child.key == nil || child.key == .name ? nil : child
    }

    /// Returns the context of a member `value`.
    func child(of pair: PairName) -> Self {
        if let name = pair.key {
            let child = child(named: name)
            if child.key != nil { return child }
        } else if let name = pair.title, let child = child(titled: name) {
            return child
        }
        return child(named: "value")
    }

    private func keyOfChild(named name: String) -> SensitiveKey? {
        let own = SensitiveKey(json: name, in: scope)
        switch key {
        case .device, .credential: return key
        case .memory:
            if Self.typeKeys.contains(name) { return nil }
            return own == .name || own == .message ? .memory : own ?? .memory
        case .surroundings where own == .name: return .surroundings
        case .processList where name == "name" || name == "procname": return .processName
        default: return own ?? key
        }
    }

    /// Keys for the type of an object in memory, which do not reveal its content.
    private static let typeKeys = ["class", "type", "address"]
}

/// The name of a member `value`, which is the value of another member:
///
///     {"key": "host.name", "value": {…}}        {"name": "Authorization", "value": "…"}
struct PairName {
    var key: String?
    var title: String?
}
