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
    var place: Int
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
    private(set) var place: Int
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
        place = range.lowerBound
        lineStart = range.lowerBound
        floor = range.lowerBound
        headlineFloor = range.lowerBound
    }

    /// Continues after a trace, perhaps in the middle of a log record, or after a line without one.
    mutating func skip(to place: Int) {
        guard place > self.place else { return }
        self.place = min(place, end)
        lineStart = start(ofLineAround: self.place)
        floor = self.place
    }

    /// Continues with a line whose headline did not begin a trace. A report in JSON may still
    /// follow in it, after the words that introduce it.
    mutating func skipHeadlines(to place: Int) { headlineFloor = max(headlineFloor, place) }

    mutating func next() -> SwiftTraceStart? {
        while place < end {
            if file[place] == .newline { lineStart = place + 1 }
            let found = startNamedHere()
            place += 1
            if let found { return found }
        }
        return nil
    }

    /// Returns the trace announced by the words at ``place``.
    private func startNamedHere() -> SwiftTraceStart? {
        switch file[place] {
        case UInt8(ascii: "P") where place >= headlineFloor && isText("Program crashed: "),
            UInt8(ascii: "S") where place >= headlineFloor && isText("Swift runtime failure: "):
            mark(before: place).map { start(.headline, at: $0) }
        case UInt8(ascii: "c") where isText("crashReport"):
            brace(before: place).map { start(.object, at: $0) }
        default: nil
        }
    }

    private func isText(_ text: String) -> Bool { file[..<end].begins(with: text, at: place) }

    private func start(_ kind: SwiftTraceStart.Kind, at place: Int) -> SwiftTraceStart {
        // The brace may be on a line before the word that follows it.
        let lineStart = place < lineStart ? start(ofLineAround: place) : lineStart
        let lineEnd = file[place..<end].firstIndex(of: .newline) ?? end
        let line = lineStart..<lineEnd
        return SwiftTraceStart(
            kind: kind, place: place, line: line, layout: layout(of: line, around: place))
    }

    private func start(ofLineAround place: Int) -> Int {
        file[range.lowerBound..<place].lastIndex(of: .newline).map { $0 + 1 } ?? range.lowerBound
    }

    private func layout(of line: Range<Int>, around place: Int) -> LogLayout {
        guard let text = LogLayout.text(of: line, in: file), text.range.contains(place) else {
            return LogLayout(prefix: prefix(from: line.lowerBound, to: place))
        }
        let lines = LogLayout.lines(of: text.range, in: file)
        let around = lines.first { $0.record.contains(place) }
        let start = around?.content.lowerBound ?? text.range.lowerBound
        // Only containers' own logs break long lines.
        let hasBreak =
            text.key == LogLayout.containerKey
            && (endsInBreak(text) || recordBefore(line, key: text.key).map(endsInBreak) == true)
        return LogLayout(
            key: text.key, hasOwnBreaks: hasBreak, prefix: prefix(from: start, to: place))
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

    private func prefix(from start: Int, to place: Int) -> LinePrefix {
        // On a terminal, a report in JSON overwrites the words that announce it.
        let words = file[start..<place].position(of: "Program crashed: ")
        let place = words.flatMap { mark(before: $0) } ?? place
        guard start < place, place - start <= LinePrefix.lengthLimit else { return .none }
        return LinePrefix(file[start..<place])
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
    private func mark(before place: Int) -> Int? {
        let end = withoutColor(before: place)
        for mark in Self.marks where end - max(lineStart, floor) >= mark.count {
            let start = end - mark.count
            if file[start..<end].elementsEqual(mark) { return start }
        }
        return nil
    }

    /// Returns the start of a control sequence that ends at `place`, or `place`.
    private func withoutColor(before place: Int) -> Int {
        var start = place - 1
        guard start >= lineStart, file[start] == UInt8(ascii: "m") else { return place }
        let first = max(lineStart, place - 16)
        while start > first, file[start] != UInt8(ascii: "[") { start -= 1 }
        guard file[start] == UInt8(ascii: "["), start > lineStart else { return place }
        if file[start - 1] == .escape { return start - 1 }
        let escaped = start - 6
        guard escaped >= lineStart else { return place }
        let text = file[escaped..<start].text.lowercased()
        return text == #"\u001b"# ? escaped : place
    }

    /// Returns the brace that opens the report whose kind is named at `place`.
    private func brace(before place: Int) -> Int? {
        guard file[..<place].suffix(24).contains(UInt8(ascii: ":")) else { return nil }
        let first = max(floor, place - 256)
        return file[first..<place].lastIndex(of: UInt8(ascii: "{"))
    }
}
