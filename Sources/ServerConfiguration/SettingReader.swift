import Configuration

/// The settings of all sources as one: of two values of a key the one that comes later counts,
/// first the file, then the environment, then flags; where there is none, the table's.
///
/// Its sources hold only values that their settings take.
struct SettingReader {
    private let reader: ConfigReader
    private let keys: Set<String>
    /// Where each value that counts was given, and the entries of lists begin.
    private let places: [String: String]
    /// The entry of a list that keys are below, such as `export.0`, or nothing.
    private var item = ""

    init(file: SettingLayer, environment: SettingLayer, flags: SettingLayer) {
        var (file, environment) = (file, environment)
        // A list that is given by flags replaces the others whole: one of its entries must not take
        // on the headers of another one.
        let lists = Set(flags.values.keys.compactMap(\.listName))
        file.leaveOut(lists)
        environment.leaveOut(lists)
        let layers = [flags, environment, file]
        reader = ConfigReader(providers: layers.map(\.provider))
        keys = Set(layers.flatMap(\.values.keys))
        places = layers.reversed().reduce(into: [:]) { places, layer in
            places.merge(layer.values.mapValues(\.place)) { $1 }
            places.merge(layer.itemPlaces) { $1 }
        }
    }

    /// A reader for each entry of a list, in order.
    func items(of list: String) -> [SettingReader] {
        let numbers = keys.filter { $0.hasPrefix(list + ".") }
            .compactMap { Int($0.dropFirst(list.count + 1).prefix { $0 != "." }) }
        return Set(numbers).sorted().map { number in
            var reader = self
            reader.item = "\(list).\(number)"
            return reader
        }
    }

    /// With the position in the list: `export.0.url`, or `export.0` for an empty name.
    func key(_ name: String) -> String {
        item.isEmpty ? name : name.isEmpty ? item : "\(item).\(name)"
    }

    /// How an error names a key: where its value was given, if it was, else where its entry is.
    func place(_ name: String) -> String {
        places[key(name)] ?? places[item].map { "\($0).\(name)" } ?? key(name).shownKey
    }

    /// The value as text; `nil` if it is not given and has no default, and for a word that says so.
    func text(_ name: String) -> String? {
        let setting = setting(name)
        let given = reader.string(forKey: ConfigKey(key(name)), isSecret: setting.isSecret)
        guard let text = given ?? setting.standard else { return nil }
        if case .unless(text, _) = setting.kind { return nil }
        return text
    }

    func texts(_ name: String) -> [String] {
        let isSecret = setting(name).isSecret
        return reader.stringArray(forKey: ConfigKey(key(name)), isSecret: isSecret, default: [])
    }

    func isGiven(_ name: String) -> Bool { keys.contains(key(name)) }

    func isOn(_ name: String) -> Bool { value(name, Bool.init(settingText:)) }

    func number(_ name: String) -> Int { value(name) { Int($0) } }

    func duration(_ name: String) -> Duration { value(name, Duration.init(settingText:)) }

    func bytes(_ name: String) -> Int64 { value(name, ByteSize.bytes) }

    func number(ifAny name: String) -> Int? { text(name).flatMap { Int($0) } }

    func duration(ifAny name: String) -> Duration? {
        text(name).flatMap(Duration.init(settingText:))
    }

    func bytes(ifAny name: String) -> Int64? { text(name).flatMap(ByteSize.bytes) }

    /// For a setting that has a default. What is given was checked when it was read, and the
    /// defaults stand in the program.
    func value<Value>(_ name: String, _ parse: (String) -> Value?) -> Value {
        guard let value = text(name).flatMap(parse) else {
            preconditionFailure("'\(name)' has no default of its kind")
        }
        return value
    }

    private func setting(_ name: String) -> Setting {
        guard let setting = SettingTable.setting(key(name).tableKey) else {
            preconditionFailure("'\(name)' stands in no table")
        }
        return setting
    }
}

extension SettingLayer {
    fileprivate var provider: InMemoryProvider {
        let entries = values.compactMap { key, given -> (AbsoluteConfigKey, ConfigValue)? in
            guard let setting = SettingTable.setting(key.tableKey) else { return nil }
            let content: ConfigContent =
                setting.kind.isList ? .stringArray(given.texts) : .string(given.texts[0])
            let parts = key.split(separator: ".").map(String.init)
            return (
                AbsoluteConfigKey(parts), ConfigValue(content, isSecret: setting.isSecret)
            )
        }
        return InMemoryProvider(values: Dictionary(uniqueKeysWithValues: entries))
    }

    fileprivate mutating func leaveOut(_ lists: Set<String>) {
        values = values.filter { key, _ in key.listName.map { !lists.contains($0) } ?? true }
    }
}

extension String {
    /// `auth.tokens` of `auth.tokens.0.app`, or `nil` outside of lists.
    fileprivate var listName: String? {
        let parts = split(separator: ".")
        return parts.firstIndex { Int($0) != nil }.map { parts[..<$0].joined(separator: ".") }
    }
}
