import ReportFormats

/// Follows JSON that arrives in parts, to detect where it ends or stops being JSON.
///
/// The values are not parsed, because parsing the growing text again with each line would take too
/// long.
struct JSONScanner: Equatable {
    enum State {
        /// A value is incomplete.
        case open
        /// All values are complete.
        case complete
        /// The text is not JSON.
        case invalid
    }

    private enum Expectation {
        case value, valueOrEnd, keyOrEnd, colon, separator
    }

    private(set) var state = State.open
    private var expected = Expectation.value
    /// The brackets that close the open containers, outermost first.
    private var closers: [UInt8] = []
    private var isInString = false
    private var isEscaped = false
    private var isInScalar = false

    /// Adds bytes of a line.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if isInString { addToString(byte) } else { addOutsideString(byte) }
            if state == .invalid { return }
        }
    }

    /// Ends a line. No string or number continues in the next one.
    mutating func endLine() {
        if isInString { state = .invalid }
        isInScalar = false
    }

    private mutating func addToString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == .backslash {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    private mutating func addOutsideString(_ byte: UInt8) {
        if isInScalar, Self.isOfScalar(byte) { return }
        isInScalar = false
        switch byte {
        case .space, .newline, .carriageReturn, UInt8(ascii: "\t"): break
        case UInt8(ascii: "{"): open(closedBy: UInt8(ascii: "}"), expecting: .keyOrEnd)
        case UInt8(ascii: "["): open(closedBy: UInt8(ascii: "]"), expecting: .valueOrEnd)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close(with: byte)
        case UInt8(ascii: ","): separate()
        case UInt8(ascii: ":"): addColon()
        case UInt8(ascii: "\""): beginString()
        default: beginScalar(byte)
        }
    }

    private var expectsValue: Bool { expected == .value || expected == .valueOrEnd }

    private mutating func open(closedBy closer: UInt8, expecting expectation: Expectation) {
        // Values may follow one another.
        guard expectsValue || state == .complete else { return state = .invalid }
        closers.append(closer)
        expected = expectation
        state = .open
    }

    /// Closes a container. The reader accepts a comma before the bracket.
    private mutating func close(with byte: UInt8) {
        if state == .complete, byte == UInt8(ascii: "]") { return }
        guard closers.last == byte, expected != .value, expected != .colon
        else { return state = .invalid }
        closers.removeLast()
        endValue()
    }

    private mutating func endValue() {
        expected = .separator
        if closers.isEmpty { state = .complete }
    }

    private mutating func separate() {
        guard state != .complete else { return }
        guard expected == .separator else { return state = .invalid }
        expected = closers.last == UInt8(ascii: "}") ? .keyOrEnd : .valueOrEnd
    }

    private mutating func addColon() {
        guard expected == .colon else { return state = .invalid }
        expected = .value
    }

    private mutating func beginString() {
        isInString = true
        if expected == .keyOrEnd {
            expected = .colon
        } else if expectsValue, !closers.isEmpty {
            endValue()
        } else {
            state = .invalid
        }
    }

    private mutating func beginScalar(_ byte: UInt8) {
        let isValid = byte.isDigit || "-tfn".utf8.contains(byte)
        guard isValid, expectsValue, !closers.isEmpty else { return state = .invalid }
        isInScalar = true
        endValue()
    }

    private static func isOfScalar(_ byte: UInt8) -> Bool {
        byte.isDigit || "+-.".utf8.contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
