import Crypto
import Foundation
import Yams

/// Renders the templates of the chart, which use a small part of Helm's language: values, `toYaml`,
/// `indent`, `quote`, `default`, `sha256sum`, and `if`, `if not` and `end` on lines of their own.
struct ChartRenderer {
    struct Unsupported: Error, CustomStringConvertible {
        let description: String
    }

    let values: [String: Any]
    let release: String
    /// The version of the program, from the description of the chart.
    var version = ""

    func render(_ template: String) throws -> String {
        var lines: [String] = []
        /// Whether the lines in each open condition are kept.
        var conditions: [Bool] = []
        for line in template.components(separatedBy: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let match = text.wholeMatch(of: /\{\{- if (not )?(\.[A-Za-z.]+) \}\}/) {
                let isSet = Self.isSet(value(String(match.output.2)))
                conditions.append(isSet == (match.output.1 == nil))
            } else if text == "{{- end }}" {
                guard conditions.popLast() != nil else { throw unsupported("end without if") }
            } else if conditions.allSatisfy(\.self) {
                lines.append(try rendered(line))
            }
        }
        guard conditions.isEmpty else { throw unsupported("if without end") }
        return lines.joined(separator: "\n")
    }

    private static func isSet(_ value: Any?) -> Bool {
        (value as? [Any]).map { !$0.isEmpty } ?? (value as? Bool ?? false)
    }

    private func rendered(_ line: String) throws -> String {
        var result = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: /\{\{ ([^{}]+) \}\}/) {
            result += rest[..<match.range.lowerBound]
            result += try text(of: String(match.output.1))
            rest = rest[match.range.upperBound...]
        }
        guard !rest.contains("{{") else { throw unsupported(line) }
        return result + rest
    }

    private func text(of pipeline: String) throws -> String {
        let steps = pipeline.components(separatedBy: " | ")
        var text: String
        let words = steps[0].split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("toYaml", 2): text = try yaml(words[1])
        case (_, 1):
            guard let value = value(words[0]) else { throw unsupported(pipeline) }
            text = "\(value)"
        default: throw unsupported(pipeline)
        }
        for step in steps.dropFirst() { text = try apply(step, to: text) }
        return text
    }

    private func yaml(_ path: String) throws -> String {
        guard let value = value(path) else { throw unsupported(path) }
        if let map = value as? [String: Any], map.isEmpty { return "{}" }
        return try Yams.dump(object: value, sortKeys: true)
            .trimmingCharacters(in: .newlines)
    }

    private func apply(_ step: String, to text: String) throws -> String {
        if step == "default .Chart.AppVersion" { return text.isEmpty ? version : text }
        if step == "quote" { return "\"\(text)\"" }
        if step == "sha256sum" {
            return SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
        }
        guard let match = step.wholeMatch(of: /indent ([0-9]+)/), let width = Int(match.output.1)
        else { throw unsupported(step) }
        let space = String(repeating: " ", count: width)
        return text.components(separatedBy: "\n").map { space + $0 }.joined(separator: "\n")
    }

    private func value(_ path: String) -> Any? {
        if path == ".Release.Name" { return release }
        guard path.hasPrefix(".Values.") else { return nil }
        let keys = path.dropFirst(".Values.".count).replacing(".", with: "/")
        return DeployFiles.value(String(keys), in: values)
    }

    private func unsupported(_ text: String) -> Unsupported {
        Unsupported(description: "the renderer of the tests does not support: \(text)")
    }
}
