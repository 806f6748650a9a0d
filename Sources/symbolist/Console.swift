import ArgumentParser
import Foundation
import Glibc

/// Standard output for results, standard error for everything else.
enum Console {
    /// A reader that stops reading is no error of ours: writing to it fails and ``result(_:)`` ends
    /// the run, instead of the signal doing so with a message from the shell.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a result, whole and at once.
    static func result(_ bytes: [UInt8]) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            exit(0)
        }
    }

    static func result(_ text: String) {
        result(Array(text.utf8))
    }

    /// One line about something that went wrong: subject, what happened, what to do next.
    static func problem(_ text: some CustomStringConvertible) {
        let line = "\(text)".split(separator: "\n").joined(separator: " ")
        try? FileHandle.standardError.write(contentsOf: Data("symbolist: \(line)\n".utf8))
    }
}

/// Standard output for results that come in many small pieces.
struct ConsoleStream: TextOutputStream {
    private var pending: [UInt8] = []

    mutating func write(_ text: String) {
        pending.append(contentsOf: text.utf8)
        if pending.count >= 1 << 16 { flush() }
    }

    mutating func flush() {
        Console.result(pending)
        pending.removeAll(keepingCapacity: true)
    }
}

/// Whether results are styled for a terminal.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case always, auto, never

    /// - Parameter environment: `NO_COLOR`, with any value but an empty one, turns colour off.
    func isOn(environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
                && isatty(STDOUT_FILENO) == 1
        }
    }
}
