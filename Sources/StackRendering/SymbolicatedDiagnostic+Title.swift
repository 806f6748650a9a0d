public import CallStacks

extension SymbolicatedDiagnostic {
    /// One line with the event and its function: `Index out of range — Cart.total(for:)
    /// (Pricing.swift:18)`.
    public var title: String {
        guard let row = culpritIndex.map({ frames[$0] }), let function = row.function
        else { return cause }
        guard let file = row.file, row.line > 0 else { return "\(cause) — \(function)" }
        return "\(cause) — \(function) (\(file.name):\(row.line))"
    }

    /// The program's message, or else the exception, or else the kind with its measurement.
    private var cause: String {
        if let message = exceptionMessage, !isGeneral(message) { return message }
        let exception = details.withSignal(exceptionName)
        let subtype = details.exceptionSubtype ?? details.numericExceptionWords
        let words = [exception, subtype].compactMap(\.self)
        if !words.isEmpty { return words.joined(separator: ": ") }
        return [kindWords, details.measurement].compactMap(\.self).joined(separator: " ")
    }

    /// The words for the kind. The reason for which stacks were sampled may not be in the report.
    private var kindWords: String {
        guard kind == .unknown, form == .sampled else { return kind.words }
        return "Sample" + (details.processName.map { " of \($0)" } ?? "")
    }

    /// Whether a message is only the general meaning of the exception's number.
    private func isGeneral(_ message: String) -> Bool {
        message == details.exceptionType.map { MachException(rawValue: $0).meaning }
            || message == details.signal.map { DarwinSignal(rawValue: $0).meaning }
    }
}
