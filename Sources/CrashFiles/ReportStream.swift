/// Tells reports from other lines in a stream that may never end, such as the log of a service.
///
/// Lines go on as soon as they are whole. Only from one that may begin a report on they are held, until
/// nothing of it is to be expected any more.
public struct ReportStream {
    public enum Piece: Equatable, Sendable {
        /// Lines that belong to no report.
        case lines([UInt8])
        /// What may be a report, or several, for ``CrashFileReader``.
        case report([UInt8])
    }

    /// A report ends behind so many lines without an address.
    static let idleLinesLimit = 200
    /// A line that is longer goes on in parts, in bytes.
    static let lineLimit = 1 << 20

    private enum State {
        case passing
        case holding(HeldFormat)
    }

    /// How many bytes of a report are held; what is longer is cut there.
    private let byteLimit: Int
    private var state = State.passing
    /// What came after the last line break.
    private var rest: [UInt8] = []
    /// How much of ``rest`` was searched for a line break.
    private var searchedCount = 0
    /// Whether ``rest`` goes on a line whose beginning has gone out.
    private var isInLine = false
    private var isAtStart = true
    private var passed: [UInt8] = []
    private var held: [UInt8] = []
    /// Where the last line of ``held`` ends that has an address.
    private var heldEnd = 0
    private var idleLineCount = 0
    private var pieces: [Piece] = []

    /// - Parameter byteLimit: The longest report, in bytes.
    public init(byteLimit: Int = 64 << 20) { self.byteLimit = byteLimit }

    /// Takes what has arrived.
    ///
    /// - Returns: What can go on.
    public mutating func add(_ bytes: [UInt8]) -> [Piece] {
        rest += bytes
        var start = 0
        while let newline = rest[max(start, searchedCount)...].firstIndex(of: .newline) {
            take(line: rest[start...newline])
            start = newline + 1
        }
        rest.removeFirst(start)
        searchedCount = rest.count
        takeLongLine()
        return flushed()
    }

    /// Takes the end of the stream.
    public mutating func end() -> [Piece] {
        if !rest.isEmpty { take(line: rest[...]) }
        rest = []
        searchedCount = 0
        // What is held to the end is a report to its end.
        heldEnd = held.count
        endReport()
        return flushed()
    }

    private mutating func flushed() -> [Piece] {
        flushLines()
        defer { pieces = [] }
        return pieces
    }

    private mutating func flushLines() {
        guard !passed.isEmpty else { return }
        pieces.append(.lines(passed))
        passed = []
    }

    /// Lets go of a line that has no end yet, unless it may be a document.
    private mutating func takeLongLine() {
        guard rest.count > Self.lineLimit else { return }
        if isAtStart, DocumentStart.begins(rest) {
            guard rest.count > byteLimit else { return }
            state = .holding(.document)
        }
        take(rest[...])
        rest = []
        searchedCount = 0
        isInLine = true
    }
}

extension ReportStream {
    private mutating func take(line: ArraySlice<UInt8>) {
        let isWhole = !isInLine
        isInLine = false
        guard isWhole, line.count <= byteLimit else { return take(line) }
        switch state {
        case .passing: pass(line)
        case .holding(let format): hold(line, of: format)
        }
        if isAtStart { isAtStart = line.allSatisfy { $0.isBlank || $0 == .newline || $0 == 13 } }
    }

    /// Takes bytes that are not looked at.
    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        isAtStart = false
        guard case .holding = state else {
            passed += bytes
            return
        }
        held += bytes
        heldEnd = held.count
        if held.count > byteLimit { endReport() }
    }

    private mutating func pass(_ line: ArraySlice<UInt8>) {
        guard let format = HeldFormat(startedBy: line, isFirst: isAtStart) else {
            passed += line
            return
        }
        flushLines()
        state = .holding(format)
        held = Array(line)
        heldEnd = held.count
        idleLineCount = 0
        if format.ends(with: line) { endReport() }
    }

    private mutating func hold(_ line: ArraySlice<UInt8>, of format: HeldFormat) {
        guard let format = format.goingOn(with: line) else {
            endReport()
            return pass(line)
        }
        state = .holding(format)
        held += line
        if format.isFull(line) {
            heldEnd = held.count
            idleLineCount = 0
        } else {
            idleLineCount += 1
        }
        let isOver = idleLineCount >= Self.idleLinesLimit || held.count > byteLimit
        if isOver || format.ends(with: line) { endReport() }
    }

    /// Lets the report go, and the lines behind it that are none of its.
    private mutating func endReport() {
        guard case .holding(let format) = state else { return }
        if format.isOpen { heldEnd = 0 }
        flushLines()
        if heldEnd > 0 { pieces.append(.report(Array(held[..<heldEnd]))) }
        passed = Array(held[heldEnd...])
        held = []
        heldEnd = 0
        state = .passing
    }
}
