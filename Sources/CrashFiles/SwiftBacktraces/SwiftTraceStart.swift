/// Where a backtrace of a Swift program begins in a file.
struct SwiftTraceStart {
    enum Kind {
        /// The line that says what happened.
        case headline
        /// The brace of a report in JSON.
        case object
    }

    var kind: Kind
    /// The mark in the headline, or the brace.
    var place: Int
    /// The line of the file around it, without its break.
    var line: Range<Int>
    var form: LogForm
}

/// Looks for backtraces in a file of any kind, in JSON records too.
struct SwiftTraceSearch {
    private let file: [UInt8]
    private let range: Range<Int>
    private var end: Int { range.upperBound }
    /// Where reading goes on.
    private(set) var place: Int
    private var lineStart: Int
    /// What stands before belongs to a trace before, or is none of what is searched.
    private(set) var floor: Int
    /// Headlines before are not looked at: one of their line was read, and was none.
    private var headlineFloor: Int

    init(_ file: [UInt8], in range: Range<Int>) {
        self.file = file
        self.range = range
        place = range.lowerBound
        lineStart = range.lowerBound
        floor = range.lowerBound
        headlineFloor = range.lowerBound
    }

    /// Goes on behind a trace, which may be in the middle of a record of a log, or behind the line
    /// of one that turned out to be none.
    mutating func skip(to place: Int) {
        guard place > self.place else { return }
        self.place = min(place, end)
        lineStart = start(ofLineAround: self.place)
        floor = self.place
    }

    /// Goes on with a line of which a headline turned out to be none. A report in JSON may follow in
    /// it, behind the words that announce it.
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

    /// The trace of which the words stand at ``place`` that tell one.
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
        // The brace may stand on a line before that of the word behind it.
        let lineStart = place < lineStart ? start(ofLineAround: place) : lineStart
        let lineEnd = file[place..<end].firstIndex(of: .newline) ?? end
        let line = lineStart..<lineEnd
        return SwiftTraceStart(
            kind: kind, place: place, line: line, form: form(of: line, around: place))
    }

    private func start(ofLineAround place: Int) -> Int {
        file[range.lowerBound..<place].lastIndex(of: .newline).map { $0 + 1 } ?? range.lowerBound
    }

    private func form(of line: Range<Int>, around place: Int) -> LogForm {
        guard let text = LogForm.text(of: line, in: file), text.range.contains(place) else {
            return LogForm(prefix: prefix(from: line.lowerBound, to: place))
        }
        let lines = LogForm.lines(of: text.range, in: file)
        let around = lines.first { $0.record.contains(place) }
        let start = around?.content.lowerBound ?? text.range.lowerBound
        // Only containers' own logs break long lines.
        let hasBreak =
            text.key == LogForm.containerKey
            && (endsInBreak(text) || recordBefore(line, text.key).map(endsInBreak) == true)
        return LogForm(
            key: text.key, hasOwnBreaks: hasBreak, prefix: prefix(from: start, to: place))
    }

    private func endsInBreak(_ text: LogForm.Text) -> Bool {
        file[text.range].suffix(2).elementsEqual(#"\n"#.utf8)
    }

    /// The text of the record before a line, which shows whether texts end in line breaks where this
    /// one goes on in the next record.
    private func recordBefore(_ line: Range<Int>, _ key: String) -> LogForm.Text? {
        guard line.lowerBound > floor else { return nil }
        let start = file[...].lineStart(1, linesBefore: line.lowerBound, notBefore: floor)
        return LogForm.text(of: start..<line.lowerBound - 1, in: file, key: key)
    }

    private func prefix(from start: Int, to place: Int) -> LinePrefix {
        // On a terminal a report in JSON is written over the words that announce it.
        let words = file[start..<place].position(of: "Program crashed: ")
        let place = words.flatMap { mark(before: $0) } ?? place
        guard start < place, place - start <= LinePrefix.lengthLimit else { return .none }
        return LinePrefix(file[start..<place])
    }
}

extension SwiftTraceSearch {
    /// How headlines begin: on paper, on a terminal, and that in JSON with and without escapes.
    private static let marks: [[UInt8]] = [
        Array("*** ".utf8), Array("\u{1f4a3} ".utf8), Array(#"\ud83d\udca3 "#.utf8),
        Array(#"\uD83D\uDCA3 "#.utf8),
    ]

    /// The mark that has to stand before the words of a headline.
    private func mark(before place: Int) -> Int? {
        let end = withoutColor(before: place)
        for mark in Self.marks where end - max(lineStart, floor) >= mark.count {
            let start = end - mark.count
            if file[start..<end].elementsEqual(mark) { return start }
        }
        return nil
    }

    /// The start of a control sequence that ends at `place`, or `place`.
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

    /// The brace that opens the report whose kind is named at `place`.
    private func brace(before place: Int) -> Int? {
        guard file[..<place].suffix(24).contains(UInt8(ascii: ":")) else { return nil }
        let first = max(floor, place - 256)
        return file[first..<place].lastIndex(of: UInt8(ascii: "{"))
    }
}
