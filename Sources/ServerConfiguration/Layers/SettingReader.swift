/// The merged settings of all sources: flags take precedence over the environment, and the
/// environment over the file. A setting without a value has the default of the table.
///
/// The sources contain only valid values.
struct SettingReader {
    private let values: [String: SettingValue]
    /// The locations of list entries, by keys such as `export.0`.
    private let itemLocations: [String: String]
    /// The list entry that keys are relative to, such as `export.0`, or nothing.
    private var item = ""

    /// - Parameter lists: The lists that only flags set. Their entries inherit nothing from the
    ///   other sources, such as the headers of another exporter.
    init(
        file: SettingLayer, environment: SettingLayer, flags: SettingLayer,
        replacing lists: Set<String>
    ) {
        let layers = [file, environment].map { $0.removing(lists) } + [flags]
        values = layers.reduce(into: [:]) { $0.merge($1.values) { $1 } }
        itemLocations = layers.reduce(into: [:]) { $0.merge($1.itemLocations) { $1 } }
    }

    /// Returns a reader for each entry of a list, in order.
    func items(of list: String) -> [SettingReader] {
        let numbers = values.keys.filter { $0.hasPrefix(list + ".") }
            .compactMap { Int($0.dropFirst(list.count + 1).prefix { $0 != "." }) }
        return Set(numbers).sorted().map { number in
            var reader = self
            reader.item = "\(list).\(number)"
            return reader
        }
    }

    /// Returns the key with its position in the list: `export.0.url`, or `export.0` for an empty
    /// name.
    func key(_ name: String) -> String {
        item.isEmpty ? name : name.isEmpty ? item : "\(item).\(name)"
    }

    /// Returns the location of a key in errors: that of its value if there is one, else that of its
    /// list entry.
    func location(_ name: String) -> String {
        let key = key(name)
        return values[key]?.location ?? itemLocations[key]
            ?? itemLocations[item].map { "\($0).\(name)" } ?? key.shownKey
    }

    /// Returns the value as text, or `nil` if the setting has no value and no default, or if the
    /// value is a word that means none.
    func text(_ name: String) -> String? {
        let setting = setting(name)
        guard let text = values[key(name)]?.texts.first ?? setting.defaultValue else { return nil }
        if case .unless(text, _) = setting.kind { return nil }
        return text
    }

    func texts(_ name: String) -> [String] { values[key(name)]?.texts ?? [] }

    /// The values of all settings that are set, by key.
    var givenTexts: [String: [String]] { values.mapValues(\.texts) }

    func isGiven(_ name: String) -> Bool { values[key(name)] != nil }

    func isOn(_ name: String) -> Bool { value(name, Bool.init(settingText:)) }

    func number(_ name: String) -> Int { value(name) { Int($0) } }

    func duration(_ name: String) -> Duration { value(name, Duration.init(settingText:)) }

    func bytes(_ name: String) -> Int64 { value(name, ByteSize.bytes) }

    func number(ifAny name: String) -> Int? { text(name).flatMap { Int($0) } }

    func duration(ifAny name: String) -> Duration? {
        text(name).flatMap(Duration.init(settingText:))
    }

    func bytes(ifAny name: String) -> Int64? { text(name).flatMap(ByteSize.bytes) }

    /// Returns the parsed value of a setting with a default. Values were validated when they were
    /// read, and defaults are part of the program.
    func value<Value>(_ name: String, _ parse: (String) -> Value?) -> Value {
        guard let value = text(name).flatMap(parse) else {
            preconditionFailure("'\(name)' has no default of its kind")
        }
        return value
    }

    private func setting(_ name: String) -> Setting {
        guard let setting = SettingTable.setting(key(name).tableKey) else {
            preconditionFailure("'\(name)' is not in the table")
        }
        return setting
    }
}

extension SettingLayer {
    fileprivate func removing(_ lists: Set<String>) -> Self {
        func isKept(_ key: String) -> Bool { key.listName.map { !lists.contains($0) } ?? true }
        var layer = self
        layer.values = values.filter { isKept($0.key) }
        layer.itemLocations = itemLocations.filter { isKept($0.key) }
        return layer
    }
}

extension String {
    /// The name of the list in a key, such as `auth.tokens` in `auth.tokens.0.app`, or `nil`
    /// outside of lists.
    fileprivate var listName: String? {
        let parts = split(separator: ".")
        return parts.firstIndex { Int($0) != nil }.map { parts[..<$0].joined(separator: ".") }
    }
}
