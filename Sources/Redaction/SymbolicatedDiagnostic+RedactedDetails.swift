public import CallStacks
import ReportFormats

extension SymbolicatedDiagnostic {
    /// Redacts the report's own values as well as the source paths, for a diagnostic whose file was
    /// read without redaction.
    public func redactedWithDetails(_ level: RedactionLevel) -> Self {
        guard level != .none else { return self }
        var result = redacted(level)
        result.details.redact(level)
        result.exceptionMessage = exceptionMessage.map { level.redacted(message: $0) }
        for index in result.stacks.indices {
            result.stacks[index].name = stacks[index].name.map { PrivateText.redacted($0) }
            result.stacks[index].queue = stacks[index].queue.map { PrivateText.redacted($0) }
        }
        for index in result.listedImages.indices {
            result.listedImages[index].path = listedImages[index].path.map {
                PrivateText.redacted($0)
            }
        }
        return result
    }
}

extension RedactionLevel {
    /// Returns a message of a program with its private parts redacted.
    public func redacted(message: String) -> String {
        switch self {
        case .none: message
        case .standard: PrivateText.redacted(message, isMessage: true)
        case .strict: Self.placeholder
        }
    }
}

extension DiagnosticDetails {
    /// Fields that identify a device or a person.
    private static let identifying: Set<ReportField> = [
        .incident, .reporterKey, .sleepWake, .userID,
    ]

    fileprivate mutating func redact(_ level: RedactionLevel) {
        let message = { (text: String) in level.redacted(message: text) }
        runtimeMessage = runtimeMessage.map(message)
        objectiveCExceptionMessage = objectiveCExceptionMessage.map(message)
        applicationMessages = applicationMessages.map(message)
        terminationReason = terminationReason.map { PrivateText.redacted($0, isMessage: true) }
        virtualMemoryRegion = virtualMemoryRegion.map {
            level == .strict ? RedactionLevel.placeholder : PrivateText.redacted($0)
        }
        processName = processName.map { PrivateText.redacted($0) }
        for (field, text) in fields {
            fields[field] =
                Self.identifying.contains(field)
                ? RedactionLevel.placeholder : PrivateText.redacted(text, isMessage: true)
        }
        if level == .strict {
            registers = nil
            sections = []
        } else {
            for index in sections.indices {
                sections[index].lines = sections[index].lines.map {
                    PrivateText.redacted($0.withoutMemoryContents)
                }
            }
        }
    }
}

extension String {
    /// The line of a list of allocations with the contents of the memory redacted.
    fileprivate var withoutMemoryContents: String {
        let bytes = Array(utf8)
        guard let contents = AllocationListing(bytes[...])?.contents else { return self }
        let rest = bytes[..<contents.lowerBound]
        return String(decoding: rest, as: UTF8.self) + RedactionLevel.placeholder
    }
}
