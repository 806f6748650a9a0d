import CallStacks

/// What is said before the table of threads: by the runtime when it stopped the program, by the
/// backtracer when it started, and in the headline.
struct SwiftPreamble: Hashable, Sendable {
    /// How many lines before a headline may belong to it.
    static let linesLimit = 16

    /// What the runtime said: `Index out of range`.
    var message: String?
    /// The number of the signal, as Linux counts.
    var signal: UInt64?
    /// What happened to the process: `Illegal instruction at 0x00005621f26ab029`.
    var description: String?

    /// Reads the lines before a headline, from the last one on.
    ///
    /// - Returns: How many of them belong to the report.
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

    /// Reads the headline itself.
    mutating func read(headline line: [UInt8]) {
        var text = line.trimmed.text
        for mark in ["*** ", "\u{1f4a3} ", "Program crashed: "] where text.hasPrefix(mark) {
            text = String(text.dropFirst(mark.count))
        }
        read(description: text.hasSuffix(" ***") ? String(text.dropLast(4)) : text)
    }

    /// Reads what the backtracer says of the crash in a sentence.
    mutating func read(description text: String) {
        let failure = "Swift runtime failure: "
        if text.hasPrefix(failure) {
            message = message ?? String(text.dropFirst(failure.count))
        } else {
            description = text
        }
    }

    /// The number in `*** Signal 4: Backtracing from 0x5621f26ab029... done ***`.
    static func signal(_ line: [UInt8]) -> UInt64? {
        guard line.position(of: ": Backtracing from 0x") != nil,
            let start = line.position(of: "Signal ")
        else { return nil }
        return UInt64(line[(start + 7)...].prefix(while: \.isDigit).text)
    }

    /// Whether a line, which may be a record of a log, has what the runtime says before it stops.
    static func isMessage(_ line: ArraySlice<UInt8>) -> Bool {
        for kind: String in [": Fatal error", ": Precondition failed", ": Assertion failed"] {
            if let place = line.position(of: kind), line[..<place].last?.isDigit == true {
                return true
            }
        }
        return false
    }

    /// What stands behind `Fatal error: ` and the like in a line that the runtime printed, which
    /// begins with a file and a line number.
    private static func message(_ line: [UInt8]) -> String? {
        for kind: String in [
            ": Fatal error: ", ": Precondition failed: ", ": Assertion failed: ",
        ] {
            guard let place = line.position(of: kind), line[..<place].last?.isDigit == true
            else { continue }
            return line[(place + kind.utf8.count)...].trimmed.text
        }
        for kind: String in [
            ": Fatal error", ": Precondition failed", ": Assertion failed",
        ] {
            guard let place = line.position(of: kind), line[..<place].last?.isDigit == true,
                place + kind.utf8.count == line.trimmed.endIndex
            else { continue }
            return line[(place + 2)...].trimmed.text
        }
        return nil
    }
}

extension DiagnosticDetails {
    /// What stopped a program, from what was printed before its threads. Needs to know the system,
    /// which decides how signals are numbered.
    mutating func take(_ preamble: SwiftPreamble) {
        runtimeMessage = preamble.message
        exceptionSubtype = preamble.description
        guard let number = preamble.signal else { return }
        guard osVersion?.contains("Linux") ?? true else {
            signal = number
            return
        }
        let name = LinuxSignal.name(of: number)
        signal = name.flatMap { DarwinSignal(name: $0)?.rawValue }
        if signal == nil { exceptionName = name ?? "signal \(number)" }
    }
}

/// The signals of Linux on the processors that Swift runs on, by number (`signal(7)`).
enum LinuxSignal {
    static func name(of number: UInt64) -> String? {
        guard number >= 1, number <= UInt64(names.count) else { return nil }
        return names[Int(number) - 1]
    }

    /// From signal 1 on.
    private static let names = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
        "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
        "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
        "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
    ]
}
