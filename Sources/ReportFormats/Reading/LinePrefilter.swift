/// Rejects lines that cannot begin a report, in one pass over their bytes.
///
/// Logs are gigabytes of ordinary lines, and detecting the format of a line takes microseconds. The
/// prefilter is an automaton of all words by which formats are detected (Aho-Corasick), with one
/// step per byte. It may admit too many lines but never too few; the detection of each format
/// decides about admitted lines.
package struct LinePrefilter: Sendable {
    /// The kinds of lines that a word admits.
    private struct Weight: OptionSet {
        let rawValue: UInt8
        /// Any line.
        static let alone = Self(rawValue: 1)
        /// A line that begins with a digit, as frames do, or a log record in JSON.
        static let afterDigit = Self(rawValue: 2)
    }

    /// The state after each byte in each state.
    private let steps: [UInt16]
    private let weights: [UInt8]
    /// Whether a line that begins with an identity, or is only an opening bracket, is admitted.
    private let admitsBeginnings: Bool

    /// - Parameters:
    ///   - words: The words that admit any line.
    ///   - frameWords: The words that admit a line that begins with a digit.
    private init(words: [String], frameWords: [String] = [], admitsBeginnings: Bool = false) {
        var trie = Trie()
        for word in words { trie.add(Array(word.utf8), Weight.alone.rawValue) }
        for word in frameWords { trie.add(Array(word.utf8), Weight.afterDigit.rawValue) }
        (steps, weights) = trie.automaton()
        self.admitsBeginnings = admitsBeginnings
    }

    /// Whether a line may begin a report.
    package func admits(_ line: ArraySlice<UInt8>) -> Bool {
        var found: UInt8 = 0
        var state = 0
        for byte in line {
            state = Int(steps[state << 8 | Int(byte)])
            found |= weights[state]
        }
        return admits(line, found)
    }

    /// Returns the end of the complete lines that cannot begin a report.
    ///
    /// - Parameter start: The start of the first line.
    package func endOfDeclinedLines(_ bytes: [UInt8], from start: Int) -> Int {
        let steps = steps.span
        let weights = weights.span
        let text = bytes.span
        var lineStart = start
        var position = start
        var state = 0
        var found: UInt8 = 0
        while position < text.count {
            let byte = text[position]
            position += 1
            state = Int(steps[state << 8 | Int(byte)])
            found |= weights[state]
            guard byte == .newline else { continue }
            let first = text[lineStart]
            let isPlain = first >= UInt8(ascii: "g") && first < UInt8(ascii: "{")
            if found != 0 || (!isPlain && admitsBeginnings) {
                if admits(bytes[lineStart..<position - 1], found) { return lineStart }
            }
            lineStart = position
            found = 0
        }
        return lineStart
    }

    private func admits(_ line: ArraySlice<UInt8>, _ found: UInt8) -> Bool {
        if found & Weight.alone.rawValue != 0 { return true }
        let content = line.drop(while: \.isQuotePrefix)
        // In a printed list of strings, frames are in quotes.
        let quote = UInt8(ascii: "\"")
        guard let first = content.first(where: { $0 != quote }) else { return false }
        // A log record in JSON may have frames in its text.
        let mayBeFrame = first.isDigit || first == UInt8(ascii: "{")
        if found & Weight.afterDigit.rawValue != 0, mayBeFrame { return true }
        guard admitsBeginnings else { return false }
        if Self.opensValue(content) { return true }
        return content.prefix(Self.identityLength).count == Self.identityLength
            && content.prefix(Self.identityLength).allSatisfy(Self.isOfIdentity)
    }

    /// The minimum length of an identity at the start of a line.
    private static let identityLength = 32

    /// Whether a line is `{` or `[`, as the first one of formatted JSON is.
    private static func opensValue(_ content: ArraySlice<UInt8>) -> Bool {
        (content.first == UInt8(ascii: "{") || content.first == UInt8(ascii: "["))
            && content.dropFirst().allSatisfy { $0.isBlank || $0 == .carriageReturn }
    }

    private static func isOfIdentity(_ byte: UInt8) -> Bool {
        byte.hexDigitValue != nil || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "{")
            || byte == UInt8(ascii: "}")
    }
}

extension LinePrefilter {
    /// Admits lines that may begin a stack.
    static let ofStacks = Self(words: stackWords)

    /// Admits lines that may begin a report of any format.
    package static let ofReports = Self(
        words: stackWords + textWords + objectWords + (0...9).map { "Thread \($0)" },
        frameWords: ["0x", "0X", "00000000"],
        admitsBeginnings: true)

    /// Admits lines of JSON that may belong to a report.
    package static let ofObjects = Self(words: objectWords + ["bug_type", "crashReport"])

    private static let stackWords =
        [
            "Sanitizer: ", "libFuzzer: ", "runtime error: ", "+0x", "+ 0x", "dumped core.",
            "tack trace of thread",
            "build-id", "#0 ", "PID: ", "(Thread 0x", " signal ", "Current thread is ",
            "Core was generated by ", "frame #",
            "thread #", "PERF_RECORD_MMAP", "[unknown] (",
            " panicked at ",
            "tack backtrace:", "goroutine ", "panic: ", "fatal error: ", "cycles:", "clock:",
            "[signal SIG", "==    at 0x", "==    by 0x", ValgrindNotation.leak, "# 0x", "0# ",
            "*** Aborted at ", "*** Check failure stack trace", "*** SIG", "] Check failed: ",
            "@     ",
        ] + ValgrindNotation.errors.map { "== " + $0 }

    private static let textWords = [
        "Program crashed: ", "Swift runtime failure: ", "Backtracing from 0x", "crashReport",
        "Analysis of sampling ", "Call graph:", "  (in ", "STACK OF ", "_history Report Version:",
        "leaks Report Version:", "Heaviest stack for ", "Data Source: ", "Event: ",
        "Build fingerprint: ", " pc ", "Incident Identifier:", "Process:", "Report Version:",
        "Last Exception Backtrace:", "Application Specific", "Binary Images:",
        ": Fatal error", ": Precondition failed", ": Assertion failed",
        "uncaught exception '", "bug_type", "# Crashlytics", "Crashed: ", "atal Exception: ",
    ]

    /// Keys of the reports that are JSON.
    private static let objectWords = [
        "callStack", "Diagnostic", "diagnostic", "usedImages", "\"threads\"", "\"crash\"",
        "recrash_report", "productData", "resourceLogs", "resourceSpans", "resourceProfiles",
        "incident_id", "processByPid", "stackshot", "memoryStatus", "logText", "\"load\"",
        "mach_exception", "\"exception\"", "\"signal\"", "stacktrace", "rootFrames", "metaData",
        "timeStampBegin", "debug_meta", "debugmeta",
        "binary_images",
    ]
}

/// A prefix tree of words.
private struct Trie {
    private struct Node {
        var next: [UInt8: Int] = [:]
        var weight: UInt8 = 0
    }

    private var nodes = [Node()]

    mutating func add(_ word: [UInt8], _ weight: UInt8) {
        var node = 0
        for byte in word {
            if let next = nodes[node].next[byte] {
                node = next
            } else {
                nodes.append(Node())
                nodes[node].next[byte] = nodes.count - 1
                node = nodes.count - 1
            }
        }
        nodes[node].weight |= weight
    }

    /// Returns, for each state and byte, the state of the longest prefix of a word in which the
    /// text then ends, and the words that end in each state.
    func automaton() -> (steps: [UInt16], weights: [UInt8]) {
        var steps = [UInt16](repeating: 0, count: nodes.count << 8)
        var weights = nodes.map(\.weight)
        var queue = [(node: 0, fallback: 0)]
        var taken = 0
        while taken < queue.count {
            let (node, fallback) = queue[taken]
            taken += 1
            weights[node] |= weights[fallback]
            for byte in 0..<256 {
                let other = node == 0 ? 0 : Int(steps[fallback << 8 | byte])
                if let next = nodes[node].next[UInt8(byte)] {
                    steps[node << 8 | byte] = UInt16(next)
                    queue.append((next, other))
                } else {
                    steps[node << 8 | byte] = UInt16(other)
                }
            }
        }
        return (steps, weights)
    }
}
