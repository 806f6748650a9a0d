public import CallStacks

/// The lines above the stacks: the event, the process, and the versions of app and system.
package struct ReportHeader {
    let text: String

    /// The maximum number of messages from libraries.
    static let messageLimit = 8

    init(_ diagnostic: SymbolicatedDiagnostic, style: StackStyle) {
        let lines = Self.rows(of: diagnostic).map { label, value in
            padded(label.isEmpty ? "" : "\(label):", to: 14) + shown(value) + "\n"
        }
        text = style.paint(shown(diagnostic.title), as: .heading) + "\n" + lines.joined()
    }

    /// Returns the facts other than the title. A row without a label continues the previous one.
    package static func rows(of diagnostic: SymbolicatedDiagnostic) -> [(
        label: String, value: String
    )] {
        let details = diagnostic.details
        let title = diagnostic.title
        let exception = details.withSignal(diagnostic.exceptionName)
        let rows: [(String, String?)] =
            [
                ("Exception", exception),
                ("Codes", details.hasNumericException ? details.codes : nil),
                ("Subtype", details.exceptionSubtype.flatMap { title.contains($0) ? nil : $0 }),
            ] + messages(diagnostic, title: title).map { ("Message", $0) } + [
                ("Termination", details.terminationReason),
                ("", details.terminationReason.flatMap(TerminationCode.init(in:))?.words),
            ]
            + Self.lines("Explanation", details.terminationDescription)
            + [
                ("Note", details.fields[.exceptionNote])
            ] + Self.lines("VM Region", details.virtualMemoryRegion) + [
                ("Duration", diagnostic.kind == .hang ? details.measurement : nil),
                ("Measured", diagnostic.kind == .hang ? nil : details.measurement),
                ("Process", details.processName),
                ("App", details.appWithVersion),
                ("System", details.system),
                ("Time", details.timestamp),
                ("Symbols", diagnostic.coverage),
                (
                    "Redacted",
                    diagnostic.redaction == .none ? nil : diagnostic.redaction.rawValue
                ),
            ]
        return rows.compactMap { label, value in value.map { (label, $0) } }
    }

    private static func lines(_ label: String, _ value: String?) -> [(String, String?)] {
        let lines = value?.split(whereSeparator: \.isNewline).prefix(lineLimit) ?? []
        return lines.enumerated().map { ($0 == 0 ? label : "", String($1)) }
    }

    /// The maximum number of lines of one value.
    static let lineLimit = 40

    /// Returns the distinct messages that the title does not start with.
    private static func messages(
        _ diagnostic: SymbolicatedDiagnostic, title: String
    ) -> some Sequence<String> {
        let details = diagnostic.details
        let said = [
            diagnostic.exceptionMessage, details.runtimeMessage, details.fields[.exceptionMessage],
        ].compactMap(\.self)
        var seen: Set<String> = []
        return (said + details.applicationMessages)
            .filter { !$0.isEmpty && !title.hasPrefix($0) && seen.insert($0).inserted }
            .prefix(messageLimit)
    }
}

extension SymbolicatedDiagnostic {
    /// `partial: 11 of 12 app frames`.
    fileprivate var coverage: String? {
        let (total, resolved) = appFrameCounts
        guard total > 0 else { return nil }
        return "\(status.rawValue): \(resolved) of \(counted(total, "app frame"))"
    }
}

extension DiagnosticDetails {
    /// `com.example.shop 2.1 (345)`.
    public var appWithVersion: String? {
        let parts = [bundleIdentifier, versionWithBuild].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The report's description of the termination beyond its reason.
    var terminationDescription: String? {
        guard let text = fields[.terminationDescription] else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).filter {
            terminationReason?.contains($0) != true
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// `2.1 (345)`.
    var versionWithBuild: String? {
        let parts = [appVersion, appBuild.map { "(\($0))" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// `iPhone OS 18.1 (22B83), iPhone15,2, arm64e`.
    public var system: String? {
        let parts = [osVersion, deviceType, architecture].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
