import CallStacks

extension DiagnosticDetails {
    /// Takes an exception by its name, such as `EXC_BAD_ACCESS`, or by the number that old reports
    /// have in its place. That of KSCrash is 0 where there is none.
    mutating func setException(named name: String) {
        if name.hasPrefix("SIG") { return setSignal(named: name) }
        guard UInt64(name) != 0 else { return }
        exceptionType = MachException(name: name)?.rawValue
        exceptionName = exceptionType == nil ? name : nil
    }

    /// Takes a signal by its name, such as `SIGSEGV`.
    mutating func setSignal(named name: String) {
        signal = DarwinSignal(name: name)?.rawValue
        if signal == nil, exceptionType == nil, exceptionName == nil, UInt64(name) == nil {
            exceptionName = name
        }
    }

    /// Takes what a library left behind: the message of a Swift fatal error, the exception that
    /// nobody caught, or else a message.
    mutating func add(message: String, from library: String?) {
        let message = message.trimmed
        guard !message.isEmpty, applicationMessages.count < Self.messagesLimit else { return }
        if let exception = UncaughtException(message) {
            if objectiveCExceptionName == nil {
                objectiveCExceptionName = exception.name
                objectiveCExceptionMessage = exception.reason
            }
        } else if library?.hasPrefix("libswift") == true || message.contains("Fatal error: ") {
            if runtimeMessage == nil { runtimeMessage = message }
        }
        applicationMessages.append(message)
    }

    private static let messagesLimit = 100
}

/// `*** Terminating app due to uncaught exception 'NSRangeException', reason: '…'`
struct UncaughtException {
    let name: String
    let reason: String?

    private static let before = "Terminating app due to uncaught exception '"

    /// What a line of a log says of one, from where that begins.
    static func announcement(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
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
