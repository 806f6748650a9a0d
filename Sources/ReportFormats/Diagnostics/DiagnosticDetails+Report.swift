import CallStacks

extension DiagnosticDetails {
    /// Sets the exception from its name, such as `EXC_BAD_ACCESS`, or from the number that old
    /// reports have instead. KSCrash writes 0 if there is no exception.
    mutating func setException(named name: String) {
        if name.hasPrefix("SIG") { return setSignal(named: name) }
        guard UInt64(name) != 0 else { return }
        exceptionType = MachException(name: name)?.rawValue
        exceptionName = exceptionType == nil ? name : nil
    }

    /// Sets the signal from its name, such as `SIGSEGV`.
    mutating func setSignal(named name: String) {
        signal = DarwinSignal(name: name)?.rawValue
        if signal == nil, exceptionType == nil, exceptionName == nil, UInt64(name) == nil {
            exceptionName = name
        }
    }

    /// Adds a library's message: a Swift fatal error, an uncaught exception, or other text.
    mutating func add(message: String, from library: String?) {
        let message = message.trimmed
        guard !message.isEmpty, applicationMessages.count < Self.messagesLimit else { return }
        if let exception = UncaughtException(message) {
            if objectiveCExceptionName == nil {
                objectiveCExceptionName = exception.name
                objectiveCExceptionMessage = exception.reason
            }
        } else if library?.hasPrefix("libswift") == true {
            runtimeMessage = runtimeMessage ?? message
        } else if let line = Self.fatalErrorLine(of: message) {
            runtimeMessage = runtimeMessage ?? line
        }
        applicationMessages.append(message)
    }

    /// Returns the line of a text in which the Swift runtime says why it ended the program. Reports
    /// in text join the messages of all libraries.
    private static func fatalErrorLine(of text: String) -> String? {
        text.split(whereSeparator: \.isNewline).first { $0.contains("Fatal error: ") }
            .map { String($0).trimmed }
    }

    private static let messagesLimit = 100
}

/// `*** Terminating app due to uncaught exception 'NSRangeException', reason: '…'`
package struct UncaughtException {
    let name: String
    let reason: String?

    private static let before = "Terminating app due to uncaught exception '"

    /// Returns the part of a log line that begins with the announcement of an uncaught exception.
    package static func announcement(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        line.position(of: before).map { line[$0...] }
    }

    init?(_ message: String) {
        let before = Self.before
        let between = "', reason: '"
        guard let start = message.range(ofLast: before) else { return nil }
        let rest = message[message.index(start, offsetBy: before.count)...]
        guard let end = rest.firstIndex(of: "'") else { return nil }
        name = String(rest[..<end])
        guard rest[end...].hasPrefix(between) else {
            reason = nil
            return
        }
        let text = rest[end...].dropFirst(between.count)
        reason = String(text.prefix(upTo: text.range(ofLast: "'") ?? text.endIndex))
    }
}
