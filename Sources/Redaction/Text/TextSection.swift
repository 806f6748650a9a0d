import ReportFormats

/// A section of a text report whose lines are private in the same way.
enum TextSection: Equatable {
    case none
    /// Messages that libraries left in the report.
    case message
    /// The message of a panic, up to the stack.
    case panic
    /// Registers, memory bytes, and lists of the machine's hardware.
    case state
    /// A process that the report is not about.
    case process

    /// Returns the section of a line that follows a line of this section.
    ///
    /// - Parameters:
    ///   - hasContent: Whether this section has content after its title.
    ///   - hasPanics: Whether the report is of a panic in Rust or Go.
    ///   - processes: As in ``TextRedaction/processes``.
    func next(
        at line: ArraySlice<UInt8>, hasContent: Bool, hasPanics: Bool, processes: Set<String>?
    ) -> Self {
        if let processes, let process = Self.process(line) {
            return processes.contains(process) ? .none : .process
        }
        if self == .process { return line.starts(with: "Date/Time".utf8) ? .none : .process }
        if Self.isTitle(line, titles: Self.messageTitles) { return .message }
        if hasPanics, Self.isPanic(line) { return .panic }
        if Self.isStateTitle(line) || Self.isRegisters(line) { return .state }
        switch self {
        case .none, .process: return .none
        case .message:
            let isOver =
                CrashTextHeading(line) != nil || Self.isTitle(line, titles: Self.otherTitles)
            return isOver ? .none : .message
        case .panic: return Self.endsPanic(line) ? .none : .panic
        case .state: return Self.endsState(line, hasContent: hasContent) ? .none : .state
        }
    }

    /// Whether a line is the title of the section, rather than content.
    func isTitle(_ line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .none, .process: false
        case .message: Self.isTitle(line, titles: Self.messageTitles)
        case .panic: Self.isPanic(line)
        case .state: Self.isStateTitle(line)
        }
    }

    private static func isTitle(_ line: ArraySlice<UInt8>, titles: [[UInt8]]) -> Bool {
        titles.contains { line.starts(with: $0) }
    }

    /// Returns `NAME [PID]` if a line begins a process of a spindump.
    private static func process(_ line: ArraySlice<UInt8>) -> String? {
        guard line.first == UInt8(ascii: "P"), let key = ReportKey(line), key.isAtMargin,
            key.name == "Process" || key.name == "Powerstats for"
        else { return nil }
        return key.value
    }

    /// Whether a line is the first one of a panic in Rust or Go.
    private static func isPanic(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "panic: ".utf8)
            || (line.position(of: "thread '") != nil && line.position(of: " panicked at ") != nil)
    }

    private static func endsPanic(_ line: ArraySlice<UInt8>) -> Bool {
        isTitle(line, titles: panicEnds) || LinuxStacks.isIdentified(by: line)
    }

    private static func isStateTitle(_ line: ArraySlice<UInt8>) -> Bool {
        if isTitle(line, titles: stateTitles) || isTitle(line.trimmed, titles: stateTableTitles) {
            return true
        }
        guard line.starts(with: "Thread ".utf8) else { return false }
        return stateWords.contains { line.prefix(128).contains(subsequence: $0) }
    }

    private static func endsState(_ line: ArraySlice<UInt8>, hasContent: Bool) -> Bool {
        if line.trimmed.isEmpty { return hasContent }
        return CrashTextHeading(line) != nil || isTitle(line, titles: stackTitles)
            || AndroidFrameLine(line) != nil
    }

    /// Whether a line has register names, each with an unsigned hexadecimal value, as Android
    /// writes them without a title.
    private static func isRegisters(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "    ".utf8), line.count < 200 else { return false }
        let words = Words(line)
        guard words.count >= 2, words.count.isMultiple(of: 2) else { return false }
        return words.indices.allSatisfy { index in
            let word = line[words[index]]
            if index.isMultiple(of: 2) { return word.count <= 6 && word.first?.isLetter == true }
            return word.count.isMultiple(of: 8) && UInt64(hexDigits: word) != nil
        }
    }

    private static let messageTitles = titles(
        "Application Specific Information:", "Application Specific Signatures:",
        "Filtered syslog:")
    private static let otherTitles = titles(
        "Kernel Triage:", "Thread ", "VM Region", "Exception ", "Termination ", "Terminating ",
        "Triggered by Thread:", "Crashed Thread:", "Highlighted by Thread:", "Error Formulating",
        "External Modification Summary:", "EOF")
    private static let panicEnds = titles("note: ", "[signal ")
    /// Titles that may follow registers without a blank line.
    private static let stackTitles = titles("Thread ", "Images ", "Binary Images", "backtrace:")
    private static let stateTitles = titles(
        "Registers:", "System Profile:", "VM Region Summary:", "Instruction Bytes",
        "Instruction Stream", "memory near ", "memory map", "stack:", "code around ",
        "--------- ")
    private static let stateTableTitles = titles("VIRTUAL ", "REGION TYPE ")
    private static let stateWords = titles(
        " crashed with ", " instruction stream:", " Thread State (")

    private static func titles(_ titles: String...) -> [[UInt8]] { titles.map { Array($0.utf8) } }
}
