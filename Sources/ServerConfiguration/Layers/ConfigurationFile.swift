import Foundation
import Problems
import Yams

/// Reads the settings of a YAML file, and reports problems with their lines.
struct ConfigurationFile {
    /// The maximum size of a file, in bytes.
    static let bytesLimit = 1 << 20

    private(set) var layer = SettingLayer()
    private(set) var problems: [SettingProblem] = []
    private let path: String

    /// Reads a file. A failure is recorded as a problem.
    init(path: String) {
        self.path = path
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            let bytes = try file.read(upToCount: Self.bytesLimit + 1) ?? Data()
            read(bytes)
        } catch {
            let isThere = FileManager.default.fileExists(atPath: path)
            report(
                isThere ? "cannot be read" : "no such file",
                suggestion: isThere ? "check its permissions" : "check the path")
        }
    }

    /// - Parameter name: The name of the text in messages.
    init(text: String, name: String) {
        path = name
        read(Data(text.utf8))
    }

    private mutating func read(_ bytes: Data) {
        guard bytes.count <= Self.bytesLimit else {
            return report("is larger than 1 MiB, the limit for a configuration")
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            return report("is not UTF-8 text")
        }
        do { try read(text) } catch { report(error) }
    }

    private mutating func read(_ text: String) throws {
        guard let root = try compose(yaml: text), !root.isNothing else { return }
        guard let mapping = root.mapping else {
            return report(
                "", root, detail: "is not a mapping", suggestion: "use lines of 'KEY: VALUE'")
        }
        read(mapping, group: "", key: "")
    }

    /// Reads a mapping. The depth of recursion is bounded by the table, not by the file.
    ///
    /// - Parameters:
    ///   - group: The group in the form of the table: `export[]`.
    ///   - key: The key with positions: `export.0`.
    private mutating func read(_ mapping: Node.Mapping, group: String, key: String) {
        for (nameNode, value) in mapping {
            // Brackets appear only in keys of the table.
            guard let name = nameNode.scalar?.string, !name.contains("[") else {
                report(
                    key, nameNode, detail: "has a key that is not a name",
                    suggestion: "use 'KEY: VALUE'")
                continue
            }
            let tableKey = group.isEmpty ? name : "\(group).\(name)"
            let key = key.isEmpty ? name : "\(key).\(name)"
            if let setting = SettingTable.setting(tableKey) {
                if !value.isNothing { read(value, setting: setting, key: key, line: nameNode) }
            } else if SettingTable.isGroup(tableKey) {
                readGroup(value, group: tableKey, key: key, line: nameNode)
            } else if SettingTable.isList(tableKey) {
                readList(value, group: "\(tableKey)[]", key: key, line: nameNode)
            } else {
                reportUnknown(tableKey, key: key, node: nameNode)
            }
        }
    }

    private mutating func readGroup(_ value: Node, group: String, key: String, line: Node) {
        // An empty group, such as one whose keys are all commented out.
        if value.isNothing { return }
        guard let mapping = value.mapping else {
            let names = SettingTable.names(below: group).joined(separator: ", ")
            return report(
                key, line, detail: "is a group", suggestion: "indent one of \(names) below it")
        }
        read(mapping, group: group, key: key)
    }

    private mutating func readList(_ value: Node, group: String, key: String, line: Node) {
        if value.isNothing { return }
        guard let items = value.sequence else {
            return report(key, line, detail: "is a list", suggestion: "start each entry with '- '")
        }
        guard items.count <= SettingLayer.listLimit else {
            return report(
                key, line, detail: "has more than \(SettingLayer.listLimit) entries",
                suggestion: "use fewer")
        }
        for (number, item) in items.enumerated() {
            let key = "\(key).\(number)"
            layer.itemLocations[key] = location(key, item)
            readGroup(item, group: group, key: key, line: item)
        }
    }

    private mutating func read(_ value: Node, setting: Setting, key: String, line: Node) {
        guard let texts = texts(value, kind: setting.kind) else {
            let expected =
                switch setting.kind {
                case .pairs: "a mapping of names to values"
                case let kind where kind.isList: "a list of values, '[a, b]' or 'a, b'"
                default: "one value"
                }
            return report(key, line, detail: "takes \(expected)")
        }
        let given = SettingValue(texts: texts, location: location(key, value))
        problems += layer.add(given, setting, key: key)
    }

    /// Returns `nil` if the shape of the value does not match its setting.
    private func texts(_ value: Node, kind: SettingKind) -> [String]? {
        if kind == .pairs {
            guard let mapping = value.mapping else { return nil }
            let pairs = mapping.compactMap { name, value in
                name.scalar.flatMap { name in value.scalar.map { "\(name.string)=\($0.string)" } }
            }
            return pairs.count == mapping.count ? pairs : nil
        }
        if let text = value.scalar?.string {
            guard kind.isList else { return [text] }
            // An empty text is not an empty list, but probably a mistake.
            return text.listed.isEmpty ? [text] : text.listed
        }
        guard kind.isList, let items = value.sequence else { return nil }
        let texts = items.compactMap { $0.scalar?.string }
        return texts.count == items.count ? texts : nil
    }
}

extension ConfigurationFile {
    private func location(_ key: String, _ node: Node) -> String {
        "\(path):\(node.mark?.line ?? 1): \(key.shownKey)"
    }

    private mutating func report(_ detail: String, suggestion: String? = nil) {
        problems.append(
            SettingProblem(key: "", problem: Problem(path, detail: detail, suggestion: suggestion)))
    }

    private mutating func report(
        _ key: String, _ node: Node, detail: String, suggestion: String? = nil
    ) {
        let name = key.isEmpty ? "" : "\(key.shownKey) "
        problems.append(
            SettingProblem(
                key: key,
                problem: Problem(
                    "\(path):\(node.mark?.line ?? 1)", detail: name + detail,
                    suggestion: suggestion)))
    }

    private mutating func report(line: Int, detail: String, suggestion: String) {
        problems.append(
            SettingProblem(
                key: "", problem: Problem("\(path):\(line)", detail: detail, suggestion: suggestion)
            ))
    }

    private mutating func reportUnknown(_ tableKey: String, key: String, node: Node) {
        problems.append(
            SettingProblem(key: key, problem: .unknownKey(tableKey, at: location(key, node))))
    }

    private mutating func report(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let what = [context?.text, problem].compactMap { $0 }.joined(separator: " ")
            report(line: mark.line, detail: what, suggestion: "correct the YAML in this line")
        case .duplicatedKeysInMapping(let names, let context):
            let names = names.map { "'\($0)'" }.joined(separator: " and ")
            report(
                line: context.mark.line, detail: "\(names) is set here and again below",
                suggestion: "keep one")
        default: report("is not valid YAML", suggestion: "write 'KEY: VALUE' in each line")
        }
    }
}

extension Node {
    /// Whether it is a null, which is how YAML represents an omitted value.
    fileprivate var isNothing: Bool { null != nil }
}
