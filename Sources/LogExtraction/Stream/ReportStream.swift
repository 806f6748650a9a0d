import ReportFormats

/// Separates reports from other lines in a stream that may never end, such as a service's log.
///
/// Lines are passed on as soon as they are complete. Only lines that may belong to a report are
/// buffered, until the report has certainly ended.
public struct ReportStream {
    public enum Piece: Equatable, Sendable {
        /// Lines outside of reports.
        case lines([UInt8])
        /// One or several possible reports, for ``CrashFileReader``.
        case report([UInt8])
        /// The previous report exceeded the limit, in bytes, and ends here.
        case cut(limit: Int)
    }

    /// The number of consecutive lines without an address that ends a report.
    static let idleLinesLimit = 200
    /// The length above which a line is passed on in parts, in bytes.
    static let lineLimit = 1 << 20

    private enum State {
        case passing
        case buffering(BufferedFormat)
    }

    /// The maximum size of a buffered report. A longer one is split.
    private let byteLimit: Int
    private var state = State.passing
    /// The bytes after the last line break.
    private var rest: [UInt8] = []
    /// The bytes of ``rest`` already searched for a line break.
    private var searchedCount = 0
    /// Whether ``rest`` continues a line whose start was passed on.
    private var isInLine = false
    private var isAtStart = true
    private var passed: [UInt8] = []
    private var buffered: [UInt8] = []
    /// The end of the last line in ``buffered`` that belongs to the report.
    private var reportEnd = 0
    private var idleLineCount = 0
    private var pieces: [Piece] = []

    /// - Parameter byteLimit: The maximum size of a report, in bytes.
    public init(byteLimit: Int = 64 << 20) { self.byteLimit = byteLimit }

    /// Adds received bytes.
    ///
    /// - Returns: The pieces that are complete.
    public mutating func add(_ bytes: [UInt8]) -> [Piece] {
        rest += bytes
        var start = 0
        while let newline = rest[max(start, searchedCount)...].firstIndex(of: .newline) {
            start = passOrdinaryLines(from: start)
            guard start <= newline else { continue }
            take(line: rest[start...newline])
            start = newline + 1
        }
        rest.removeFirst(start)
        searchedCount = rest.count
        takeLongLine()
        return flushed()
    }

    /// Passes on complete lines that cannot begin a report, all at once. The result does not depend
    /// on how the lines are divided into received bytes.
    ///
    /// - Returns: The start of the first line to examine, or of the incomplete one.
    private mutating func passOrdinaryLines(from start: Int) -> Int {
        guard case .passing = state, !isAtStart, !isInLine else { return start }
        let end = LinePrefilter.ofReports.endOfDeclinedLines(rest, from: start)
        passed += rest[start..<end]
        return end
    }

    /// Ends the stream.
    public mutating func end() -> [Piece] {
        if !rest.isEmpty { take(line: rest[...]) }
        rest = []
        searchedCount = 0
        // The report includes everything up to the end of the stream.
        if case .buffering(let format) = state, format.isReportAtEnd { reportEnd = buffered.count }
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

    /// Passes on the start of a long line, unless it may be a document.
    private mutating func takeLongLine() {
        guard rest.count > Self.lineLimit else { return }
        if isAtStart, DocumentDetection.begins(rest) {
            guard rest.count > byteLimit else { return }
            state = .buffering(.binary)
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
        // A longer line may also arrive in parts, which are not examined.
        let limit = isAtStart ? byteLimit : min(byteLimit, Self.lineLimit)
        guard isWhole, line.count <= limit else { return take(line) }
        switch state {
        case .passing: pass(line)
        case .buffering(let format): buffer(line, of: format)
        }
        if isAtStart { isAtStart = line.allSatisfy { $0.isBlank || $0 == .newline || $0 == 13 } }
    }

    /// Adds bytes without examining them.
    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        isAtStart = false
        guard case .buffering(var format) = state else {
            passed += bytes
            return
        }
        format.addPart(bytes)
        state = .buffering(format)
        buffered += bytes
        reportEnd = buffered.count
        if buffered.count > byteLimit { cutReport() }
    }

    private mutating func pass(_ line: ArraySlice<UInt8>) {
        guard let format = BufferedFormat(startedBy: line, isFirst: isAtStart) else {
            passed += line
            return
        }
        flushLines()
        state = .buffering(format)
        buffered = Array(line)
        reportEnd = format.isUndecided ? 0 : buffered.count
        idleLineCount = 0
        if format.ends(with: line) { endReport() }
    }

    private mutating func buffer(_ line: ArraySlice<UInt8>, of format: BufferedFormat) {
        guard let format = format.continued(by: line) else {
            endReport()
            return pass(line)
        }
        state = .buffering(format)
        buffered += line
        if format.isFull(line) {
            reportEnd = buffered.count
            idleLineCount = 0
        } else if !format.isUndecided {
            idleLineCount += 1
        }
        if buffered.count > byteLimit { return cutReport() }
        if idleLineCount >= format.idleLinesLimit || format.ends(with: line) { endReport() }
    }

    private mutating func cutReport() {
        guard case .buffering(let format) = state, !format.isOpen, !format.isUndecided
        else { return endReport() }
        reportEnd = buffered.count
        endReport()
        pieces.append(.cut(limit: byteLimit))
    }

    /// Emits the report, and passes on the lines after it.
    private mutating func endReport() {
        guard case .buffering(let format) = state else { return }
        if format.isOpen { reportEnd = 0 }
        flushLines()
        if reportEnd > 0 { pieces.append(.report(Array(buffered[..<reportEnd]))) }
        passed = Array(buffered[reportEnd...])
        buffered = []
        reportEnd = 0
        state = .passing
    }
}

extension ReportStream {
    /// Returns the ranges of the reports and lines into which a stream with these bytes is divided.
    static func pieces(of bytes: [UInt8]) -> [Range<Int>] {
        var stream = Self()
        var start = 0
        return (stream.add(bytes) + stream.end()).compactMap { piece in
            switch piece {
            case .lines(let bytes), .report(let bytes):
                defer { start += bytes.count }
                return start..<start + bytes.count
            case .cut: return nil
            }
        }
    }
}
