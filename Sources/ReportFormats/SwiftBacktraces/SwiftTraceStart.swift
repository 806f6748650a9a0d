/// The start of a Swift backtrace in a file.
struct SwiftTraceStart {
    enum Kind {
        /// The line that describes the crash.
        case headline
        /// The brace of a report in JSON.
        case object
    }

    var kind: Kind
    /// The position of the mark in the headline, or of the brace.
    var position: Int
    /// The line of the file around it, without its break.
    var line: Range<Int>
    var layout: LogLayout
}

/// Searches a file of any kind for backtraces, including JSON records.
struct SwiftTraceSearch {
    private let file: [UInt8]
    private let range: Range<Int>
    private var end: Int { range.upperBound }
    /// The position at which the search continues.
    private(set) var position: Int
    private var lineStart: Int
    /// The start of the text to search. Everything before it belongs to another trace or is out of
    /// range.
    private(set) var floor: Int
    /// The position before which headlines are ignored, because one in this line did not begin a
    /// trace.
    private var headlineFloor: Int

    init(_ file: [UInt8], in range: Range<Int>) {
        self.file = file
        self.range = range
        position = range.lowerBound
        lineStart = range.lowerBound
        floor = range.lowerBound
        headlineFloor = range.lowerBound
    }

    /// Continues after a trace, perhaps in the middle of a log record, or after a line without one.
    mutating func skip(to position: Int) {
        guard position > self.position else { return }
        self.position = min(position, end)
        lineStart = start(ofLineAround: self.position)
        floor = self.position
    }

    /// Continues with a line whose headline did not begin a trace. A report in JSON may still
    /// follow in it, after the words that introduce it.
    mutating func skipHeadlines(to position: Int) { headlineFloor = max(headlineFloor, position) }

    mutating func next() -> SwiftTraceStart? {
        while position < end {
            if file[position] == .newline { lineStart = position + 1 }
            let found = startNamedHere()
            position += 1
            if let found { return found }
        }
        return nil
    }

    /// Returns the trace announced by the words at ``position``.
    private func startNamedHere() -> SwiftTraceStart? {
        switch file[position] {
        case UInt8(ascii: "P") where position >= headlineFloor && isText("Program crashed: "),
            UInt8(ascii: "S") where position >= headlineFloor && isText("Swift runtime failure: "):
            mark(before: position).map { start(.headline, at: $0) }
        case UInt8(ascii: "c") where isText("crashReport"):
            brace(before: position).map { start(.object, at: $0) }
        default: nil
        }
    }

    private func isText(_ text: String) -> Bool { file[..<end].begins(with: text, at: position) }

    private func start(_ kind: SwiftTraceStart.Kind, at position: Int) -> SwiftTraceStart {
        // The brace may be on a line before the word that follows it.
        let lineStart = position < lineStart ? start(ofLineAround: position) : lineStart
        let lineEnd = file[position..<end].firstIndex(of: .newline) ?? end
        let line = lineStart..<lineEnd
        return SwiftTraceStart(
            kind: kind, position: position, line: line, layout: layout(of: line, around: position))
    }

    private func start(ofLineAround position: Int) -> Int {
        file[range.lowerBound..<position].lastIndex(of: .newline).map { $0 + 1 } ?? range.lowerBound
    }

    private func layout(of line: Range<Int>, around position: Int) -> LogLayout {
        guard let text = LogLayout.text(of: line, in: file, around: position) else {
            return LogLayout(prefix: prefix(from: line.lowerBound, to: position))
        }
        let lines = LogLayout.lines(of: text.range, in: file)
        let around = lines.first { $0.record.contains(position) }
        let start = around?.content.lowerBound ?? text.range.lowerBound
        // Only containers' own logs break long lines.
        let hasBreak =
            text.key == LogLayout.containerKey
            && (endsInBreak(text) || recordBefore(line, key: text.key).map(endsInBreak) == true)
        return LogLayout(
            key: text.key, hasOwnBreaks: hasBreak, prefix: prefix(from: start, to: position))
    }

    private func endsInBreak(_ text: LogLayout.Text) -> Bool {
        file[text.range].suffix(2).elementsEqual(#"\n"#.utf8)
    }

    /// Returns the text of the record before a line, which shows whether texts end in line breaks
    /// in this log.
    private func recordBefore(_ line: Range<Int>, key: String) -> LogLayout.Text? {
        guard line.lowerBound > floor else { return nil }
        let start = file[...].lineStart(1, linesBefore: line.lowerBound, notBefore: floor)
        return LogLayout.text(of: start..<line.lowerBound - 1, in: file, key: key)
    }

    private func prefix(from start: Int, to position: Int) -> LinePrefix {
        // On a terminal, a report in JSON overwrites the words that announce it.
        let words = file[start..<position].position(of: "Program crashed: ")
        let position = words.flatMap { mark(before: $0) } ?? position
        guard start < position, position - start <= LinePrefix.lengthLimit else { return .none }
        return LinePrefix(file[start..<position])
    }
}

extension SwiftTraceSearch {
    /// The beginnings of headlines: plain, with the emoji that is printed on a terminal, and with
    /// the emoji escaped in JSON.
    private static let marks: [[UInt8]] = [
        Array("*** ".utf8), Array("\u{1f4a3} ".utf8), Array(#"\ud83d\udca3 "#.utf8),
        Array(#"\uD83D\uDCA3 "#.utf8),
    ]

    /// Returns the mark required before the words of a headline.
    private func mark(before position: Int) -> Int? {
        let end = withoutColor(before: position)
        for mark in Self.marks where end - max(lineStart, floor) >= mark.count {
            let start = end - mark.count
            if file[start..<end].elementsEqual(mark) { return start }
        }
        return nil
    }

    /// Returns the start of a control sequence that ends at `position`, or `position`.
    private func withoutColor(before position: Int) -> Int {
        var start = position - 1
        guard start >= lineStart, file[start] == UInt8(ascii: "m") else { return position }
        let first = max(lineStart, position - 16)
        while start > first, file[start] != UInt8(ascii: "[") { start -= 1 }
        guard file[start] == UInt8(ascii: "["), start > lineStart else { return position }
        if file[start - 1] == .escape { return start - 1 }
        let escaped = start - 6
        guard escaped >= lineStart else { return position }
        let text = file[escaped..<start].text.lowercased()
        return text == #"\u001b"# ? escaped : position
    }

    /// Returns the brace that opens the report whose kind is named at `position`.
    private func brace(before position: Int) -> Int? {
        guard file[..<position].suffix(24).contains(UInt8(ascii: ":")) else { return nil }
        let first = max(floor, position - 256)
        return file[first..<position].lastIndex(of: UInt8(ascii: "{"))
    }
}
