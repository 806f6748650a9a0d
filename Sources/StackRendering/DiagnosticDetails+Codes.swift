import CallStacks

extension DiagnosticDetails {
    /// The exception's codes as in the report, or else the single known number.
    var codes: String? {
        fields[.exceptionCodes]
            ?? exceptionCode.map {
                var text = TextBuilder()
                text.add(hex: $0, width: 16)
                return text.text
            }
    }

    /// Whether the exception has a number instead of a name, which iOS used to write (`00000020`)
    /// when it ended a process itself. The reason is then in the codes.
    var hasNumericException: Bool {
        exceptionType == nil && exceptionName.flatMap { UInt64($0, radix: 16) } != nil
    }

    /// The system's reason for ending the process, from the codes of such an exception.
    var numericExceptionWords: String? {
        hasNumericException ? codes.flatMap(TerminationCode.init(in:))?.words : nil
    }
}
