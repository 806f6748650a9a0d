import CallStacks

/// A line `Key: value` of a report's header.
struct ReportKey {
    let name: String
    let value: String
    /// Whether nothing stands before the key.
    let isAtMargin: Bool

    /// `nil` for a line that is none.
    init?(_ line: ArraySlice<UInt8>) {
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

/// What the header of a report says, by its keys.
struct ReportKeys {
    private var values: [String: String] = [:]
    private static let limit = 256

    subscript(key: String) -> String? { values[key] }

    /// Adds a key. The first of several with one name counts.
    mutating func add(_ key: ReportKey) {
        guard values.count < Self.limit, values[key.name] == nil, !key.value.isEmpty else { return }
        values[key.name] = key.value
    }

    /// The process that the dump is about, as `NAME [PID]` where it says both.
    var target: String {
        let name = values["Command"] ?? ""
        return values["PID"].map { "\(name) [\($0)]" } ?? name
    }

    /// Whether the dump is about a process, given as `NAME [PID]`. One that names none is about all.
    func isTarget(_ process: String) -> Bool {
        guard let command = values["Command"] else { return true }
        let (name, number) = Self.split(process)
        if let number, let wanted = values["PID"] { return number == wanted }
        return name == command
    }

    /// `NAME [PID]` in its parts.
    static func split(_ process: String) -> (name: String, number: String?) {
        guard process.last == "]", let bracket = process.lastIndex(of: "["),
            bracket > process.startIndex
        else { return (process, nil) }
        let name = process[..<bracket].trimmingBlanks
        return (name, String(process[process.index(after: bracket)...].dropLast()))
    }

    /// What a dump is about, by its `Event:`.
    var kind: DiagnosticKind {
        guard let event = values["Event"] else { return .unknown }
        if event.hasPrefix("hang") { return .hang }
        if event.hasPrefix("cpu") { return .cpuException }
        return event.hasPrefix("disk") ? .diskWriteException : .unknown
    }

    /// The name of a thread in its heading: its own, else that of its queue.
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

    /// - Parameter own: The keys of the process, which come before those of the dump.
    func details(own: ReportKeys, process: String) -> DiagnosticDetails {
        func value(_ key: String) -> String? { own[key] ?? values[key] }
        var details = DiagnosticDetails()
        let version = value("Version").map(Self.version)
        details.appVersion = version?.short
        details.appBuild = version?.build
        details.bundleIdentifier = value("Identifier")
        details.osVersion = value("OS Version")
        details.deviceType = value("Hardware model") ?? value("Hardware Model")
        details.architecture = architecture(own)
        details.measurement = kind == .diskWriteException ? value("Writes") : value("Duration")
        details.timestamp = value("End time") ?? value("Date/Time")
        details.processName = Self.split(process).name
        return details
    }

    /// The architecture of the process, by the name that symbols have for it.
    func architecture(_ own: ReportKeys) -> String? {
        let name = own["Architecture"] ?? own["Code Type"] ?? values["Architecture"]
        guard let name = name?.split(separator: " ").first.map({ $0.lowercased() })
        else { return nil }
        return name == "x86-64" ? "x86_64" : name
    }

    /// `1.2 (34)` in its parts.
    private static func version(_ text: String) -> (short: String, build: String?) {
        guard text.last == ")", let open = text.lastIndex(of: "("), open > text.startIndex
        else { return (text, nil) }
        return (
            text[..<open].trimmingBlanks, String(text[text.index(after: open)...].dropLast())
        )
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
    }
}
