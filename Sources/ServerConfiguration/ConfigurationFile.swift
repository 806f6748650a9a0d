import Foundation
import Yams

/// Reads the settings of a YAML file, and says in which line something is wrong.
struct ConfigurationFile {
    /// In bytes. No list of settings is as long.
    static let bytesLimit = 1 << 20

    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []
    private let path: String

    /// Never fails: what cannot be read is a problem.
    init(path: String) {
        self.path = path
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            let bytes = try file.read(upToCount: Self.bytesLimit + 1) ?? Data()
            read(bytes)
        } catch {
            report("", "cannot be read: give the path of a readable file")
        }
    }

    /// - Parameter name: What errors call the text.
    init(text: String, name: String) {
        path = name
        read(Data(text.utf8))
    }

    private mutating func read(_ bytes: Data) {
        guard bytes.count <= Self.bytesLimit else {
            return report("", "is larger than 1 MiB: is it a configuration?")
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            return report("", "is no UTF-8 text: write it as such")
        }
        do { try read(text) } catch { report(error) }
    }

    private mutating func read(_ text: String) throws {
        guard let root = try compose(yaml: text), !root.isNothing else { return }
        guard let mapping = root.mapping else {
            return report("", root, "is no mapping: write 'KEY: VALUE' in each line")
        }
        read(mapping, group: "", key: "")
    }

    /// Goes as deep as the table does, never as the file.
    ///
    /// - Parameters:
    ///   - group: As the table has it: `export[]`.
    ///   - key: With positions: `export.0`.
    private mutating func read(_ mapping: Node.Mapping, group: String, key: String) {
        for (nameNode, value) in mapping {
            // Brackets stand in the table's keys, and nowhere else.
            guard let name = nameNode.scalar?.string, !name.contains("[") else {
                report(key, nameNode, "has a key that is no name: write 'KEY: VALUE'")
                continue
            }
            let tableKey = group.isEmpty ? name : "\(group).\(name)"
            let key = key.isEmpty ? name : "\(key).\(name)"
            if let setting = SettingTable.setting(tableKey) {
                if !value.isNothing { read(value, setting, key: key, line: nameNode) }
            } else if SettingTable.isGroup(tableKey) {
                readGroup(value, group: tableKey, key: key, line: nameNode)
            } else if SettingTable.isList(tableKey) {
                readList(value, group: "\(tableKey)[]", key: key, line: nameNode)
            } else {
                reportUnknown(tableKey, key, nameNode)
            }
        }
    }

    private mutating func readGroup(_ value: Node, group: String, key: String, line: Node) {
        // A group whose keys are all commented out.
        if value.isNothing { return }
        guard let mapping = value.mapping else {
            let names = SettingTable.names(below: group).joined(separator: ", ")
            return report(key, line, "is a group: write some of \(names) below it, indented")
        }
        read(mapping, group: group, key: key)
    }

    private mutating func readList(_ value: Node, group: String, key: String, line: Node) {
        if value.isNothing { return }
        guard let items = value.sequence else {
            return report(key, line, "is a list: begin each entry with '- '")
        }
        guard items.count <= SettingLayer.listLimit else {
            return report(key, line, "has more than \(SettingLayer.listLimit) entries: use fewer")
        }
        for (number, item) in items.enumerated() {
            let key = "\(key).\(number)"
            layer.itemPlaces[key] = place(key, item)
            readGroup(item, group: group, key: key, line: item)
        }
    }

    private mutating func read(_ value: Node, _ setting: Setting, key: String, line: Node) {
        guard let texts = texts(value, setting.kind) else {
            let expected =
                switch setting.kind {
                case .pairs: "a mapping of names to values"
                case let kind where kind.isList: "a list of values"
                default: "one value"
                }
            return report(key, line, "takes \(expected): write it so")
        }
        let given = GivenValue(texts: texts, place: place(key, value))
        problems += layer.add(given, setting, key: key)
    }

    /// `nil` if the value has another shape than its setting.
    private func texts(_ value: Node, _ kind: SettingKind) -> [String]? {
        if kind == .pairs {
            guard let mapping = value.mapping else { return nil }
            let pairs = mapping.compactMap { name, value in
                name.scalar.flatMap { name in value.scalar.map { "\(name.string)=\($0.string)" } }
            }
            return pairs.count == mapping.count ? pairs : nil
        }
        if let text = value.scalar?.string { return [text] }
        guard kind.isList, let items = value.sequence else { return nil }
        let texts = items.compactMap { $0.scalar?.string }
        return texts.count == items.count ? texts : nil
    }
}

extension ConfigurationFile {
    private func place(_ key: String, _ node: Node) -> String {
        "\(path):\(node.mark?.line ?? 1): \(key.shownKey)"
    }

    private mutating func report(_ key: String, _ what: String) {
        problems.append(SettingProblem(key: key, text: "\(path): \(what)"))
    }

    private mutating func report(_ key: String, _ node: Node, _ what: String) {
        let subject = key.isEmpty ? "\(path):\(node.mark?.line ?? 1): it" : place(key, node)
        problems.append(SettingProblem(key: key, text: "\(subject) \(what)"))
    }

    private mutating func report(line: Int, _ what: String) {
        problems.append(SettingProblem(key: "", text: "\(path):\(line): \(what)"))
    }

    private mutating func reportUnknown(_ tableKey: String, _ key: String, _ node: Node) {
        let next =
            SettingTable.suggestion(for: tableKey).map { "did you mean '\($0)'?" }
            ?? "see 'symbolist serve --help' for all keys"
        problems.append(SettingProblem(key: key, text: "\(place(key, node)): no such key: \(next)"))
    }

    private mutating func report(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let what = [context?.text, problem].compactMap { $0 }.joined(separator: " ")
            report(line: mark.line, "\(what): mend the YAML there")
        case .duplicatedKeysInMapping(let names, let context):
            let names = names.map { "'\($0)'" }.joined(separator: " and ")
            report(line: context.mark.line, "\(names) stands here and again below: keep one")
        default: report("", "is no YAML: write 'KEY: VALUE' in each line")
        }
    }
}

extension Node {
    /// Whether it is what YAML has for a value that is left out.
    fileprivate var isNothing: Bool { null != nil }
}
