import CallStacks

/// A line `Key: value` of a report's header.
package struct ReportKey {
    package let name: String
    package let value: String
    /// Whether the key is at the start of the line.
    package let isAtMargin: Bool

    /// Returns `nil` if the line has no key.
    package init?(_ line: ArraySlice<UInt8>) {
        let text = line.drop(while: \.isBlank)
        guard let first = text.first, first.isLetter,
            let colon = text.prefix(Self.nameLimit).firstIndex(of: UInt8(ascii: ":")),
            text[..<colon].allSatisfy({ $0.isLetter || $0 == 0x20 || $0 == UInt8(ascii: "/") })
        else { return nil }
        name = String(decoding: text[..<colon], as: UTF8.self)
        let rest = text[(colon + 1)...].drop(while: \.isBlank)
        let end = rest.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? rest.startIndex
        value = String(decoding: rest[..<end].prefix(Self.valueLimit), as: UTF8.self)
        isAtMargin = text.startIndex == line.startIndex
    }

    private static let nameLimit = 40
    private static let valueLimit = 1_024
}

/// The values of a report's header, by key.
struct ReportKeys {
    private var values: [String: String] = [:]
    /// The keys in the order of the header.
    private var names: [String] = []
    /// The lines at the margin that have no key.
    private var otherLines: [String] = []
    private static let limit = 256

    subscript(key: String) -> String? { values[key] }

    /// Adds a key, unless there is one with the same name.
    mutating func add(_ key: ReportKey) {
        guard values.count < Self.limit, values[key.name] == nil, !key.value.isEmpty else { return }
        values[key.name] = key.value
        names.append(key.name)
    }

    /// Keeps a line that has no key.
    mutating func keep(_ line: ArraySlice<UInt8>) {
        guard otherLines.count < Self.limit else { return }
        let text = line.prefix(ReportSection.lineBytesLimit)
        otherLines.append(String(decoding: text, as: UTF8.self))
    }

    /// The process that the dump is about, as `NAME [PID]` if it has both.
    var target: String {
        let name = values["Command"] ?? ""
        return values["PID"].map { "\(name) [\($0)]" } ?? name
    }

    /// Whether the dump is about a process `NAME [PID]`. A dump that names no process is about all.
    func isTarget(_ process: String) -> Bool {
        guard let command = values["Command"] else { return true }
        let (name, number) = Self.split(process)
        if let number, let wanted = values["PID"] { return number == wanted }
        return name == command
    }

    /// Splits `NAME [PID]`.
    static func split(_ process: String) -> (name: String, number: String?) {
        guard process.last == "]", let bracket = process.lastIndex(of: "["),
            bracket > process.startIndex
        else { return (process, nil) }
        let name = process[..<bracket].trimmed
        return (name, String(process[process.index(after: bracket)...].dropLast()))
    }

    /// The kind of diagnostic, from the `Event:` of the dump.
    var kind: DiagnosticKind {
        guard let event = values["Event"] else { return .unknown }
        if event.hasPrefix("hang") { return .hang }
        if event.hasPrefix("cpu") { return .cpuException }
        return event.hasPrefix("disk") ? .diskWriteException : .unknown
    }

    /// Returns a thread's name from its heading, or else its queue's.
    static func threadName(in line: ArraySlice<UInt8>) -> String? {
        let bytes = NodeBytes(line)
        let all = 0..<bytes.count
        for (mark, length) in [("Thread name \"", 13), ("DispatchQueue \"", 15)]
            as [(StaticString, Int)]
        {
            guard let start = bytes.first(mark, in: all),
                let end = bytes.first("\"", in: start + length..<bytes.count)
            else { continue }
            return bytes.text(start + length..<end)
        }
        return nil
    }

    /// - Parameter own: The keys of the process. They take precedence over those of the dump.
    func details(own: ReportKeys, process: String) -> DiagnosticDetails {
        func value(_ key: String) -> String? { own[key] ?? values[key] }
        var details = DiagnosticDetails()
        let version = value("Version").map { BundleVersion($0) }
        details.appVersion = version?.short
        details.appBuild = version?.build
        details.bundleIdentifier = value("Identifier")
        details.osVersion = value("OS Version")
        details.deviceType = value("Hardware model") ?? value("Hardware Model")
        details.architecture = architecture(own)
        details.measurement = kind == .diskWriteException ? value("Writes") : value("Duration")
        details.timestamp = value("End time") ?? value("Date/Time")
        details.processName = Self.split(process).name
        for field in ReportField.allCases { details.fields[field] = value(field.rawValue) }
        details.fields[.process] = process.isEmpty ? nil : process
        details.sections = [otherKeys(besides: nil), own.otherKeys(besides: self)]
            .filter { !$0.isEmpty }.map(ReportSection.init(lines:))
        return details
    }

    /// The keys that are shown as other facts.
    private static let knownKeys: Set<String> = Set(ReportField.allCases.map(\.rawValue)).union([
        "Command", "Event", "Version", "Identifier", "OS Version", "Hardware model",
        "Hardware Model", "Duration", "Writes", "End time", "Date/Time", "Powerstats for",
    ])

    /// Returns the lines of the header from which nothing else is derived.
    ///
    /// - Parameter dump: The keys of the dump, which are not repeated.
    private func otherKeys(besides dump: Self?) -> [String] {
        let keys = names.filter { name in
            !Self.knownKeys.contains(name) && values[name] != dump?.values[name]
        }
        let lines = dump?.otherLines == otherLines ? [] : otherLines
        return lines + keys.map { "\($0): \(values[$0] ?? "")" }
    }

    /// Returns the architecture of the process, by the name that symbols use.
    func architecture(_ own: ReportKeys) -> String? {
        let name = own["Architecture"] ?? own["Code Type"] ?? values["Architecture"]
        guard let name = name?.split(separator: " ").first.map({ $0.lowercased() })
        else { return nil }
        return name == "x86-64" ? "x86_64" : name
    }
}
