import CallStacks

extension DiagnosticDetails {
    /// The codes of the exception in the words of the report, or the one number that is known.
    var codes: String? {
        fields[.exceptionCodes]
            ?? exceptionCode.map {
                var text = TextBytes()
                text.add(hex: $0, width: 16)
                return text.text
            }
    }

    /// Whether the exception has a number in place of a name, as iOS wrote it (`00000020`) where it
    /// ended a process itself: what happened is then told by the codes.
    var hasNumericException: Bool {
        exceptionType == nil && exceptionName.flatMap { UInt64($0, radix: 16) } != nil
    }

    /// Why the system ended the process, by the codes of such an exception.
    var numericExceptionWords: String? {
        hasNumericException ? codes.flatMap(TerminationCode.init(in:))?.words : nil
    }
}
