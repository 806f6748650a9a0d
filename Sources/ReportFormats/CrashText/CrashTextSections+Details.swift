import CallStacks
import JSONText

extension CrashTextSections {
    /// The name of the main executable, from the header.
    var mainImageName: String? {
        if let path = header["path"] { return path.split(separator: "/").last.map(String.init) }
        return processName
    }

    /// The process name: `Orchard` for `Orchard [1234]`.
    private var processName: String? {
        guard let process = header["process"] else { return nil }
        let end = process.range(ofLast: " [") ?? process.endIndex
        return String(process[..<end])
    }

    /// Whether the text has a report's header, which may be all of a truncated report. One such
    /// line alone occurs in many logs.
    var hasHead: Bool { Self.headKeys.filter { header[$0] != nil }.count > 1 }

    private static let headKeys = [
        "incident identifier", "crashreporter key", "hardware model", "process", "path",
        "identifier", "code type", "parent process", "date/time", "os version", "report version",
        "exception type", "exception codes",
    ]

    /// A stack means a crash, unless the report says otherwise.
    var kind: DiagnosticKind {
        let isReport =
            stacks.contains { $0.head != nil } || header["exception type"] != nil
            || exception != nil
        return isReport ? .crash : .unknown
    }

    /// Returns the reason for missing stacks if the header belongs to a kind of report that has
    /// none.
    func unreadReason(header root: JSONValue?) -> UnreadReason? {
        let isJetsam = header["largest process"] != nil
        return IPSHeader(root)?.bugType?.unreadReason ?? (isJetsam ? .jetsamText : nil)
    }

    func details(_ root: JSONValue?) -> DiagnosticDetails {
        var details = DiagnosticDetails()
        details.processName = processName
        details.bundleIdentifier = header["identifier"] ?? root?["bundleID"]?.string
        let version = header["version"].map { BundleVersion($0) }
        details.appVersion = version?.short ?? root?["app_version"]?.nonEmpty
        details.appBuild = version == nil ? root?["build_version"]?.nonEmpty : version?.build
        details.osVersion = header["os version"] ?? root?["os_version"]?.string
        // On a Mac, more text follows the model: `MacBookPro18,4, BootROM 10151.1.1`.
        details.deviceType =
            header["hardware model"] ?? header["model"].map { $0.until(", ") }
        details.timestamp = header["date/time"] ?? root?["timestamp"]?.string
        details.architecture = header["code type"].map {
            Architecture(reported: $0)?.name ?? $0
        }
        details.terminationReason = header["termination reason"]
        details.virtualMemoryRegion = header["vm region info"]
        details.registers = registers
        details.sections = hasHead ? rest.sections : []
        addException(to: &details)
        details.fields = fields
        if let exception { details.add(message: exception, from: nil) }
        if !information.isEmpty {
            details.add(message: information.joined(separator: "\n"), from: nil)
        }
        return details
    }

    /// The header keys that details are built from.
    static let knownKeys: Set<String> =
        Set(ReportField.allCases.map { $0.rawValue.lowercased() })
        .union(headKeys)
        .union([
            "version", "model", "termination reason", "vm region info", "anonymous uuid",
            "exception subtype", "exception code", "triggered by thread", "crashed thread",
            "largest process", "highlighted by thread", "attributed by thread",
        ])

    /// The fields that have no property in the details.
    private var fields: [ReportField: String] {
        var fields: [ReportField: String] = [:]
        for field in ReportField.allCases { fields[field] = header[field.rawValue.lowercased()] }
        fields[.reporterKey] = fields[.reporterKey] ?? header["anonymous uuid"]
        if fields[.exceptionCodes]?.hasPrefix("0x") != true { fields[.exceptionCodes] = nil }
        return fields
    }

    /// The words in parentheses after the exception, unless they are its signal: `EXC_BAD_ACCESS
    /// (Code Signature Invalid)`.
    private var exceptionNote: String? {
        guard let type = header["exception type"], type.hasSuffix(")"),
            let open = type.firstIndex(of: "(")
        else { return nil }
        let words = type[type.index(after: open)...].dropLast().trimmed
        return words.contains(" ") ? words : nil
    }

    /// Adds `EXC_BREAKPOINT (SIGTRAP)`, and codes in words or numbers.
    private func addException(to details: inout DiagnosticDetails) {
        if let type = header["exception type"] {
            let words = type.split { $0 == " " || $0 == "(" || $0 == ")" }
            if let name = words.first { details.setException(named: String(name)) }
            if words.count > 1 { details.setSignal(named: String(words[1])) }
        } else if let exceptionName {
            details.setException(named: exceptionName)
        }
        details.exceptionSubtype = header["exception subtype"] ?? exceptionNote
        let codes = header["exception codes"] ?? header["exception code"]
        guard let codes else { return }
        if codes.hasPrefix("0x") {
            let first = codes.split { $0 == "," || $0 == " " }.first
            details.exceptionCode = first.flatMap { UInt64(number: Array($0.utf8)[...]) }
        } else if details.exceptionSubtype == nil {
            details.exceptionSubtype = codes
        }
    }
}

extension String {
    fileprivate func until(_ mark: String) -> String {
        firstRange(of: mark).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
