import CallStacks

/// The parts of a report other than its title, circumstances and stacks, verbatim, for detailed
/// output.
struct ReportDetails {
    let text: String

    init(of diagnostic: SymbolicatedDiagnostic) {
        let details = diagnostic.details
        let fields = Self.fields.compactMap { field in
            details.fields[field].map { padded("\(field.rawValue):", to: 29) + shown($0) }
        }
        let region = details.virtualMemoryRegion.map { ["VM Region Info:"] + Self.lines($0) }
        let triage = details.fields[.kernelTriage].map { ["Kernel Triage:"] + Self.lines($0) }
        let sections = details.sections.map { $0.lines.map { shown($0) } }
        let groups = [fields, triage ?? [], region ?? []].filter { !$0.isEmpty } + sections
        let registers = AppleCrashRegisters(of: diagnostic)?.text
        let texts = groups.map { $0.map { $0 + "\n" }.joined() } + [registers].compactMap(\.self)
        text = texts.joined(separator: "\n")
    }

    /// The fields that no other part of the text contains.
    private static let fields: [ReportField] = [
        .incident, .reporterKey, .process, .path, .codeType, .role, .parentProcess, .coalition,
        .responsible,
        .userID, .launchTime, .releaseType, .basebandVersion, .sleepWake, .timeAwake,
        .timeSinceWake, .integrityProtection, .exceptionCodes, .terminatingProcess,
    ]

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { shown(String($0)) }
    }
}
