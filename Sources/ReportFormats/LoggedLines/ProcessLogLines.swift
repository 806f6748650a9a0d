/// The lines of one process in a log; those of other processes are skipped.
package struct ProcessLogLines: Sequence, IteratorProtocol {
    /// The number of consecutive foreign lines after which reading of a process's lines stops.
    static let foreignLinesLimit = 200
    /// The maximum number of fragments of a line. Further ones count as a new line.
    static let fragmentsLimit = 16_384

    let file: [UInt8]
    let layout: LogLayout
    private let foreignLinesLimit: Int
    private var position: Int
    private let end: Int
    /// Pending lines of one record, the next one last.
    private var waiting: [LoggedLine] = []

    /// - Parameters:
    ///   - range: The range to read, starting at a line.
    ///   - readsAll: Whether lines are read to the end of the range, however many foreign lines are
    ///     between them.
    package init(
        _ file: [UInt8], in range: Range<Int>, layout: LogLayout, readsAll: Bool = false
    ) {
        self.file = file
        self.layout = layout
        foreignLinesLimit = readsAll ? .max : Self.foreignLinesLimit
        position = range.lowerBound
        end = range.upperBound
    }

    package mutating func next() -> LoggedLine? {
        if let line = waiting.popLast() { return line }
        for _ in 0..<foreignLinesLimit {
            guard let record = nextRecord() else { return nil }
            let line = layout.key == nil ? bareLine(record) : line(ofText: record)
            if let line { return line }
        }
        return nil
    }

    /// Returns a line of the file; its content excludes the line break.
    private mutating func nextRecord() -> LoggedLine.Fragment? {
        guard position < end else { return nil }
        let start = position
        let newline = file[start..<end].firstIndex(of: .newline)
        position = newline.map { $0 + 1 } ?? end
        var last = newline ?? end
        if last > start, file[last - 1] == .carriageReturn { last -= 1 }
        return LoggedLine.Fragment(content: start..<last, record: start..<position)
    }

    private func line(_ fragments: [LoggedLine.Fragment], encoding: LogEncoding) -> LoggedLine {
        let last = fragments.last?.record ?? 0..<0
        let isEnded = !last.isEmpty && file[last.upperBound - 1] == .newline
        let hasReturn = last.count > 1 && file[last.upperBound - 2] == .carriageReturn
        return LoggedLine(
            fragments: fragments, encoding: encoding,
            lineBreak: isEnded && hasReturn ? [.carriageReturn, .newline] : [.newline],
            isEnded: isEnded)
    }
}

extension ProcessLogLines {
    private mutating func bareLine(_ record: LoggedLine.Fragment) -> LoggedLine? {
        var (record, match) = (record, layout.prefix.match(file[record.content]))
        guard match != nil else { return nil }
        var fragments: [LoggedLine.Fragment] = []
        while let found = match {
            record.content = record.content.lowerBound + found.length..<record.content.upperBound
            fragments.append(record)
            guard found.isContinued, fragments.count < Self.fragmentsLimit, let next = nextRecord()
            else { break }
            match = layout.prefix.match(file[next.content])
            record = next
        }
        return line(fragments, encoding: .plain)
    }

    /// Returns the first line of a record's text, and stores the others.
    private mutating func line(ofText record: LoggedLine.Fragment) -> LoggedLine? {
        guard let text = LogLayout.text(of: record.content, in: file, key: layout.key)
        else { return nil }
        var lines = LogLayout.lines(of: text.range, in: file)
        let isUnbroken = layout.hasOwnBreaks && lines.count == 1
        // There is no line after the last line break, unless the text is empty.
        if lines.count > 1, lines.last?.content.isEmpty == true { lines.removeLast() }
        if lines.count == 1, var only = lines.first {
            only.record = record.record
            guard let fragment = withoutPrefix(only) else { return nil }
            return line([fragment] + (isUnbroken ? continuations() : []), encoding: .json)
        }
        waiting = lines.reversed().compactMap { fragment in
            withoutPrefix(fragment).map {
                LoggedLine(
                    fragments: [$0], encoding: .json, lineBreak: Array(#"\n"#.utf8),
                    isEnded: $0.content.upperBound < $0.record.upperBound)
            }
        }
        return waiting.popLast()
    }

    /// Returns the records that continue a text without a line break.
    private mutating func continuations() -> [LoggedLine.Fragment] {
        var fragments: [LoggedLine.Fragment] = []
        while fragments.count < Self.fragmentsLimit {
            let before = position
            guard let record = nextRecord() else { break }
            guard let text = LogLayout.text(of: record.content, in: file, key: layout.key) else {
                position = before
                break
            }
            let lines = LogLayout.lines(of: text.range, in: file)
            fragments.append(
                LoggedLine.Fragment(
                    content: lines.first?.content ?? text.range, record: record.record))
            if lines.count > 1 { break }
        }
        return fragments
    }

    private func withoutPrefix(_ fragment: LoggedLine.Fragment) -> LoggedLine.Fragment? {
        guard let match = layout.prefix.match(file[fragment.content]) else { return nil }
        var fragment = fragment
        fragment.content = fragment.content.lowerBound + match.length..<fragment.content.upperBound
        return fragment
    }
}
