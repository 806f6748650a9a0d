public import CallStacks

/// The lines above the stacks: what happened, where, to which version on which system.
struct ReportHeader {
    let text: String

    /// How many of the messages that libraries left are shown.
    static let messageLimit = 8

    init(_ diagnostic: SymbolicatedDiagnostic, style: StackStyle) {
        let lines = Self.rows(of: diagnostic).map { label, value in
            padded(label.isEmpty ? "" : "\(label):", to: 14) + shown(value) + "\n"
        }
        text = style.paint(shown(diagnostic.title), as: .heading) + "\n" + lines.joined()
    }

    /// What is known besides the title, each with its label. One without belongs to the row before.
    static func rows(of diagnostic: SymbolicatedDiagnostic) -> [(label: String, value: String)] {
        let details = diagnostic.details
        let title = diagnostic.title
        let exception = [diagnostic.exceptionName, diagnostic.signalName].joinedAsException
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

    /// A row for each line of a value.
    private static func lines(_ label: String, _ value: String?) -> [(String, String?)] {
        let lines = value?.split(whereSeparator: \.isNewline).prefix(lineLimit) ?? []
        return lines.enumerated().map { ($0 == 0 ? label : "", String($1)) }
    }

    /// How many lines of one value are shown.
    static let lineLimit = 40

    /// What was said, each once, without what the title begins with.
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
    /// `partial: 11 of 12 frames of the app have a function`.
    fileprivate var coverage: String? {
        let (total, resolved) = appFrameCounts
        guard total > 0 else { return nil }
        return "\(status.rawValue): \(resolved) of \(counted(total, "frame")) of the app"
    }
}

extension DiagnosticDetails {
    /// `com.example.shop 2.1 (345)`.
    public var appWithVersion: String? {
        let parts = [bundleIdentifier, versionWithBuild].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// What the report says of its termination beyond the reason.
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
