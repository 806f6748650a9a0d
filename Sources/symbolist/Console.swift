import ArgumentParser
import Glibc
import SymbolStores

/// Standard output for results, standard error for everything else.
enum Console {
    /// A reader that stops reading is no error of ours: writing to it fails and ``result(_:)`` ends
    /// the run, instead of the signal doing so with a message from the shell.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    static let progress = ProgressLine()

    /// Whether results go to a terminal.
    static var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes a result, whole and at once.
    static func result(_ bytes: [UInt8]) {
        if let error = write(bytes, to: STDOUT_FILENO) { endUnwritten(error) }
    }

    /// Writes a line about work that is done for its own sake: where the reader has left it goes on,
    /// and ends as it would have ended.
    static func report(_ text: String) {
        let problem = write(Array(text.utf8), to: STDOUT_FILENO)
        if let problem, problem != EPIPE { endUnwritten(problem) }
    }

    static func result(_ text: String) {
        result(Array(text.utf8))
    }

    /// One line about something that went wrong: subject, what happened, what to do next.
    static func problem(_ text: some CustomStringConvertible) {
        // Where messages cannot be written there is nobody to tell.
        _ = write(Array((oneLine("\(text)") + "\n").utf8), to: STDERR_FILENO)
    }

    /// A text as one line that does nothing to a terminal.
    static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Names of files are anybody's text, and a terminal obeys control characters.
            let isControl = scalar.properties.generalCategory == .control
            line.append(isControl ? (scalar == "\n" ? " " : "\u{fffd}") : scalar)
        }
        return String(line)
    }

    /// - Returns: Why not all was written; `nil` if it was.
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

    /// Says that the run waits for what is typed, which otherwise looks like a hang.
    static func announceStandardInput(of what: String) {
        if isatty(STDIN_FILENO) == 1 {
            problem("standard input: reading \(what) from the terminal: end with Control-D")
        }
    }

    /// Ends a run whose result nobody takes: quietly if the reader has left.
    private static func endUnwritten(_ number: Int32) -> Never {
        if number == EPIPE { exit(0) }
        problem("standard output: cannot be written: \(systemMessage(number))")
        exit(Outcome.someFailed.rawValue)
    }
}

/// Standard output for results that come in many small pieces.
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
