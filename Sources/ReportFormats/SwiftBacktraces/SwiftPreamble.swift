import CallStacks

/// The messages before the table of threads: from the runtime when it stopped the program, from the
/// backtracer when it started, and the headline.
package struct SwiftPreamble: Hashable, Sendable {
    /// The maximum number of lines before a headline that belong to it.
    package static let linesLimit = 16

    /// The runtime's message: `Index out of range`.
    var message: String?
    /// The signal number on Linux.
    var signal: UInt64?
    /// The description of the crash: `Illegal instruction at 0x00005621f26ab029`.
    var description: String?

    /// Reads the lines before a headline, starting with the last.
    ///
    /// - Returns: The number of lines that belong to the report.
    mutating func read(linesBefore lines: [[UInt8]]) -> Int {
        var belonging = 0
        for (distance, line) in zip(1..., lines.reversed()) {
            if let number = Self.signal(line) {
                signal = number
                belonging = distance
            } else if let found = Self.message(line) {
                message = message ?? found
                break
            } else if !line.trimmed.isEmpty, line.position(of: "swift-runtime: ") == nil {
                break
            }
        }
        return belonging
    }

    /// Reads the headline.
    mutating func read(headline line: [UInt8]) {
        var text = line.trimmed.text
        for mark in ["*** ", "\u{1f4a3} ", "Program crashed: "] where text.hasPrefix(mark) {
            text = String(text.dropFirst(mark.count))
        }
        read(description: text.hasSuffix(" ***") ? String(text.dropLast(4)) : text)
    }

    /// Reads the backtracer's description of the crash.
    mutating func read(description text: String) {
        let failure = "Swift runtime failure: "
        if text.hasPrefix(failure) {
            message = message ?? String(text.dropFirst(failure.count))
        } else {
            description = text
        }
    }

    /// The signal on Linux that ``description`` names. The runtime announces the number on standard
    /// error only, so a file that it writes a backtrace to lacks it.
    var describedSignal: UInt64? {
        guard let description else { return nil }
        return Self.signals.first { name, _ in
            description == name || description.hasPrefix(name + " at ")
        }?.number
    }

    /// The backtracer's descriptions of signals.
    private static let signals: [(name: String, number: UInt64)] = [
        ("Quit", 3), ("Illegal instruction", 4), ("System trap", 5), ("Aborted", 6),
        ("Bus error", 7), ("Floating point exception", 8), ("Bad pointer dereference", 11),
    ]

    /// Reads the number in `*** Signal 4: Backtracing from 0x5621f26ab029... done ***`.
    static func signal(_ line: [UInt8]) -> UInt64? {
        guard line.position(of: ": Backtracing from 0x") != nil,
            let start = line.position(of: "Signal ")
        else { return nil }
        return UInt64(line[(start + 7)...].prefix(while: \.isDigit).text)
    }

    /// Whether a line, which may be a log record, contains a message of the runtime.
    package static func isMessage(_ line: ArraySlice<UInt8>) -> Bool {
        for kind: String in [": Fatal error", ": Precondition failed", ": Assertion failed"] {
            if let position = line.position(of: kind), line[..<position].last?.isDigit == true {
                return true
            }
        }
        return false
    }

    /// Returns the text after `Fatal error: ` or similar in a line of the runtime, which begins
    /// with a file and a line number.
    private static func message(_ line: [UInt8]) -> String? {
        for kind: String in [
            ": Fatal error: ", ": Precondition failed: ", ": Assertion failed: ",
        ] {
            guard let position = line.position(of: kind), line[..<position].last?.isDigit == true
            else { continue }
            return line[(position + kind.utf8.count)...].trimmed.text
        }
        for kind: String in [
            ": Fatal error", ": Precondition failed", ": Assertion failed",
        ] {
            guard let position = line.position(of: kind), line[..<position].last?.isDigit == true,
                position + kind.utf8.count == line.trimmed.endIndex
            else { continue }
            return line[(position + 2)...].trimmed.text
        }
        return nil
    }
}

extension DiagnosticDetails {
    /// Takes the reason for the crash from the messages before the threads. Set the system first,
    /// because it determines the signal numbers.
    mutating func take(_ preamble: SwiftPreamble) {
        runtimeMessage = preamble.message
        exceptionSubtype = preamble.description
        let isLinux = osVersion?.contains("Linux") ?? true
        let described = isLinux ? preamble.describedSignal : nil
        guard let number = preamble.signal ?? described else { return }
        guard isLinux else {
            signal = number
            return
        }
        let name = LinuxSignal.name(of: number)
        signal = name.flatMap { DarwinSignal(name: $0)?.rawValue }
        if signal == nil { exceptionName = name ?? "signal \(number)" }
    }
}

/// The signals of Linux on the processors that Swift supports, by number (`signal(7)`).
enum LinuxSignal {
    static func name(of number: UInt64) -> String? {
        guard number >= 1, number <= UInt64(names.count) else { return nil }
        return names[Int(number) - 1]
    }

    /// The names, starting with signal 1.
    private static let names = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
        "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
        "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
        "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
    ]
}
