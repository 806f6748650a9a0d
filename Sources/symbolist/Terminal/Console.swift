import ArgumentParser
import Glibc
import StackRendering
import SymbolStores

/// Standard output for results, standard error for everything else.
enum Console {
    /// Ignores SIGPIPE, so that ``result(_:)`` ends the run quietly when the reader stops reading.
    /// The signal would make the shell print a message.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    static let progress = ProgressLine()

    /// Whether results go to a terminal.
    static var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes a result completely and at once.
    static func result(_ bytes: [UInt8]) {
        if let error = write(bytes, to: STDOUT_FILENO) { endUnwritten(error) }
    }

    /// Writes a line about work, such as an upload, that continues even if the reader of the output
    /// has stopped reading. That does not change the exit code either.
    static func report(_ text: String) {
        let problem = write(Array(text.utf8), to: STDOUT_FILENO)
        if let problem, problem != EPIPE { endUnwritten(problem) }
    }

    static func result(_ text: String) {
        result(Array(text.utf8))
    }

    /// Writes a one-line message to standard error: subject, problem, next step.
    static func problem(_ text: some CustomStringConvertible) {
        // If standard error cannot be written to, there is nowhere to report it.
        _ = write(Array((oneLine("\(text)") + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes the help of a command to standard error, for a command line that is not complete.
    static func usage(_ help: String) {
        _ = write(Array((help + "\n").utf8), to: STDERR_FILENO)
    }

    /// Returns a text as one line without characters that would control the terminal, such as those
    /// in file names. Unlike ``shown(_:limit:)``, it keeps texts of any length.
    static func oneLine(_ text: String) -> String {
        // Looking up the categories of plain text would take half the time of a long list.
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
        var line = String.UnicodeScalarView()
        for scalar in shown(text, limit: .max).unicodeScalars {
            // Paths with bytes that are not UTF-8 have them in a private use area.
            let isPrivate = scalar.properties.generalCategory == .privateUse
            line.append(isPrivate ? "\u{fffd}" : scalar)
        }
        return String(line)
    }

    /// - Returns: The error number if the write failed, or `nil`.
    private static func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
        progress.clear()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Prints that the run reads from the terminal, which otherwise looks like a hang.
    static func announceStandardInput(of what: String) {
        if isatty(STDIN_FILENO) == 1 {
            problem("standard input: reading \(what) from the terminal: end with Control-D")
        }
    }

    /// Ends a run whose result cannot be written: quietly if the reader has stopped reading.
    private static func endUnwritten(_ number: Int32) -> Never {
        if number == EPIPE { exit(0) }
        problem("standard output: cannot be written: \(systemMessage(number))")
        exit(Outcome.someFailed.rawValue)
    }
}

/// Buffered standard output, for results in many small pieces.
struct ConsoleStream: TextOutputStream {
    private var pending: [UInt8] = []

    mutating func write(_ text: String) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= 1 << 16 { flush() }
    }

    mutating func write(_ bytes: [UInt8]) {
        pending.append(contentsOf: bytes)
        if pending.count >= 1 << 16 { flush() }
    }

    mutating func flush() {
        Console.result(pending)
        pending.removeAll(keepingCapacity: true)
    }
}
