/// The lines of one process in a log, in their order. Lines of others between them are passed over.
struct LogLines: Sequence, IteratorProtocol {
    /// After so many lines of others nothing more is expected.
    static let foreignLinesLimit = 200
    /// A line in more pieces is taken as it is then.
    static let piecesLimit = 16_384

    let file: [UInt8]
    let form: LogForm
    private var place: Int
    private let end: Int
    /// Lines of one record that are still to come, the next one last.
    private var waiting: [LoggedLine] = []

    /// - Parameter range: Where to read; begins with a line.
    init(_ file: [UInt8], in range: Range<Int>, form: LogForm) {
        self.file = file
        self.form = form
        place = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> LoggedLine? {
        if let line = waiting.popLast() { return line }
        for _ in 0..<Self.foreignLinesLimit {
            guard let record = nextRecord() else { return nil }
            let line = form.key == nil ? bareLine(record) : line(ofText: record)
            if let line { return line }
        }
        return nil
    }

    /// A line of the file; its content is without the line break.
    private mutating func nextRecord() -> LoggedLine.Piece? {
        guard place < end else { return nil }
        let start = place
        let newline = file[start..<end].firstIndex(of: .newline)
        place = newline.map { $0 + 1 } ?? end
        var last = newline ?? end
        if last > start, file[last - 1] == .carriageReturn { last -= 1 }
        return LoggedLine.Piece(content: start..<last, record: start..<place)
    }

    private func line(_ pieces: [LoggedLine.Piece], _ encoding: LogEncoding) -> LoggedLine {
        let last = pieces.last?.record ?? 0..<0
        let isEnded = !last.isEmpty && file[last.upperBound - 1] == .newline
        let hasReturn = last.count > 1 && file[last.upperBound - 2] == .carriageReturn
        return LoggedLine(
            pieces: pieces, encoding: encoding,
            lineBreak: isEnded && hasReturn ? [.carriageReturn, .newline] : [.newline],
            isEnded: isEnded)
    }
}

extension LogLines {
    private mutating func bareLine(_ record: LoggedLine.Piece) -> LoggedLine? {
        var (record, match) = (record, form.prefix.match(file[record.content]))
        guard match != nil else { return nil }
        var pieces: [LoggedLine.Piece] = []
        while let found = match {
            record.content = record.content.lowerBound + found.length..<record.content.upperBound
            pieces.append(record)
            guard found.isContinued, pieces.count < Self.piecesLimit, let next = nextRecord()
            else { break }
            match = form.prefix.match(file[next.content])
            record = next
        }
        return line(pieces, .plain)
    }

    /// The first line of a record's text; the others are kept for later.
    private mutating func line(ofText record: LoggedLine.Piece) -> LoggedLine? {
        guard let text = LogForm.text(of: record.content, in: file, key: form.key)
        else { return nil }
        var lines = LogForm.lines(of: text.range, in: file)
        let isUnbroken = form.hasOwnBreaks && lines.count == 1
        // What stands behind the last line break is nothing, but for a text that is empty.
        if lines.count > 1, lines.last?.content.isEmpty == true { lines.removeLast() }
        if lines.count == 1, var only = lines.first {
            only.record = record.record
            guard let piece = withoutPrefix(only) else { return nil }
            return line([piece] + (isUnbroken ? continuations() : []), .json)
        }
        waiting = lines.reversed().compactMap { piece in
            withoutPrefix(piece).map {
                LoggedLine(
                    pieces: [$0], encoding: .json, lineBreak: Array(#"\n"#.utf8),
                    isEnded: $0.content.upperBound < $0.record.upperBound)
            }
        }
        return waiting.popLast()
    }

    /// The records in which a text without a line break goes on.
    private mutating func continuations() -> [LoggedLine.Piece] {
        var pieces: [LoggedLine.Piece] = []
        while pieces.count < Self.piecesLimit {
            let before = place
            guard let record = nextRecord() else { break }
            guard let text = LogForm.text(of: record.content, in: file, key: form.key) else {
                place = before
                break
            }
            let lines = LogForm.lines(of: text.range, in: file)
            pieces.append(
                LoggedLine.Piece(
                    content: lines.first?.content ?? text.range, record: record.record))
            if lines.count > 1 { break }
        }
        return pieces
    }

    private func withoutPrefix(_ piece: LoggedLine.Piece) -> LoggedLine.Piece? {
        guard let match = form.prefix.match(file[piece.content]) else { return nil }
        var piece = piece
        piece.content = piece.content.lowerBound + match.length..<piece.content.upperBound
        return piece
    }
}
