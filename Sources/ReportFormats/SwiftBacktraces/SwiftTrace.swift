import CallStacks

/// A backtrace in text.
struct SwiftTrace {
    /// A row and its line.
    struct Row {
        var row: SwiftRow
        var line: LoggedLine
        var isColored: Bool
    }

    struct Thread {
        var index: Int
        var name: String?
        var isCrashed: Bool
        var rows: [Row] = []
        /// Whether its rows are contiguous, so that they can be rewritten.
        var isTable = true
    }

    var preamble = SwiftPreamble()
    var platform: String?
    var threads: [Thread] = []
    var images: [ListedImage] = []
    /// Whether a list of images was present, even an empty one.
    var hasImageList = false
    /// Whether the last line of the backtrace was read.
    var isWhole = false
    var range: Range<Int>
    var remarks: [Remark] = []
}

/// Reads the lines of one backtrace in text.
struct SwiftTraceParser {
    private(set) var trace: SwiftTrace
    private let limits: Limits
    private var rowCount = 0
    private var isInTable = false
    private var isPastLastThread = false
    /// The number of unrecognised lines since the last recognised one.
    private var unknownLineCount = 0

    struct Limits {
        var threads: Int
        var frames: Int
        var images: Int
    }

    /// - Parameter before: The lines before the headline, in order.
    init(headline: LoggedLine, before: [LoggedLine], in file: [UInt8], limits: Limits) {
        self.limits = limits
        trace = SwiftTrace(range: headline.range)
        let shown = before.map { TerminalText.shown($0.content(in: file)) }
        let belonging = trace.preamble.read(linesBefore: shown)
        if belonging > 0 {
            let start = before[before.count - belonging].range.lowerBound
            trace.range = min(start, trace.range.lowerBound)..<trace.range.upperBound
        }
        let content = headline.content(in: file)
        if trace.preamble.signal == nil {
            trace.preamble.signal = SwiftPreamble.signal(content)
        }
        trace.preamble.read(headline: TerminalText.shown(content))
    }

    /// Reads the next line.
    ///
    /// - Returns: Whether the trace may continue.
    mutating func read(_ line: LoggedLine, in file: [UInt8]) -> Bool {
        let content = line.content(in: file)
        let shown = TerminalText.shown(content)
        guard !Self.isHeadline(shown) else { return false }
        if shown.begins(with: "Backtrace took ") {
            trace.isWhole = true
            take(line)
            return false
        }
        if let row = SwiftRow(shown) {
            add(SwiftTrace.Row(row: row, line: line, isColored: content.contains(.escape)))
            take(line)
        } else if understands(shown) {
            isInTable = false
            take(line)
        } else {
            isInTable = false
            unknownLineCount += 1
            readRowWithoutAddress(shown, of: line)
        }
        return unknownLineCount < ProcessLogLines.foreignLinesLimit
    }

    private mutating func take(_ line: LoggedLine) {
        unknownLineCount = 0
        trace.range =
            trace.range.lowerBound..<max(trace.range.upperBound, line.range.upperBound)
    }

    private mutating func add(_ row: SwiftTrace.Row) {
        if trace.threads.isEmpty {
            trace.threads.append(SwiftTrace.Thread(index: 0, isCrashed: true))
        }
        let last = trace.threads.count - 1
        guard rowCount < limits.frames, !isPastLastThread else {
            trace.remarks.add(.frameLimit)
            // A table whose end is unknown cannot be rewritten.
            if isInTable { trace.threads[last].isTable = false }
            return
        }
        rowCount += 1
        if !isInTable, !trace.threads[last].rows.isEmpty { trace.threads[last].isTable = false }
        isInTable = true
        trace.threads[last].rows.append(row)
    }

    /// Reads a row of the friendly preset. Its rows have no addresses, and source lines are printed
    /// between them. The numbers in such a table must not change.
    private mutating func readRowWithoutAddress(_ content: [UInt8], of line: LoggedLine) {
        var words = LineScanner(content)
        guard !trace.hasImageList, let last = trace.threads.indices.last, words.skipBlanks() >= 0,
            words.decimal() != nil, words.skipBlanks() > 0
        else { return }
        trace.threads[last].isTable = false
        guard let row = SwiftRow(withoutAddress: content) else { return }
        add(SwiftTrace.Row(row: row, line: line, isColored: false))
        take(line)
        isInTable = false
    }

    /// Reads a line other than a row.
    private mutating func understands(_ line: [UInt8]) -> Bool {
        if let image = ListedImage(swiftRow: line) {
            trace.hasImageList = true
            if trace.images.count < limits.images {
                trace.images.append(image)
            } else {
                trace.remarks.add(.sizeLimit)
            }
            return true
        }
        if line.begins(with: "Platform: ") {
            trace.platform = line[10...].trimmed.text
            return true
        }
        if line.begins(with: "Images") {
            trace.hasImageList = true
            return true
        }
        guard let thread = Self.thread(line) else { return false }
        isPastLastThread = trace.threads.count >= limits.threads
        if isPastLastThread {
            trace.remarks.add(.frameLimit)
        } else {
            trace.threads.append(thread)
        }
        return true
    }

    private static func isHeadline(_ line: [UInt8]) -> Bool {
        line.begins(with: "*** Program crashed: ")
            || line.begins(with: "*** Swift runtime failure: ")
            || line.begins(with: "💣 Program crashed: ")
            || line.begins(with: "*** Signal ")
    }

    /// Reads `Thread 2 "worker" crashed:`.
    private static func thread(_ line: [UInt8]) -> SwiftTrace.Thread? {
        var words = LineScanner(line)
        guard words.skip("Thread "), let index = words.decimal() else { return nil }
        var rest = words.rest
        guard rest.hasSuffix(":") else { return nil }
        rest.removeLast()
        let isCrashed = rest == "crashed" || rest.hasSuffix(" crashed")
        if isCrashed { rest = String(rest.dropLast(min(rest.count, " crashed".count))) }
        guard rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") else {
            return rest.isEmpty
                ? SwiftTrace.Thread(index: index, isCrashed: isCrashed) : nil
        }
        return SwiftTrace.Thread(
            index: index, name: String(rest.dropFirst().dropLast()), isCrashed: isCrashed)
    }
}
