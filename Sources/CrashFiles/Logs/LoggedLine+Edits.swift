extension LoggedLine {
    /// The changes that make other lines of this one. A line after the first gets a record like the
    /// last one before it, with its own text.
    func edits(rewritingAs lines: [[UInt8]], in file: [UInt8]) -> [Edit] {
        guard let first = lines.first else { return pieces.map { Edit($0.record, "") } }
        var edits: [Edit] = []
        if content(in: file) != first {
            for (number, piece) in pieces.enumerated() {
                edits.append(Edit(piece.content, number == 0 ? encoding.encoded(first) : []))
            }
        }
        guard lines.count > 1, let template = pieces.last else { return edits }
        var inserted: [UInt8] = []
        for line in lines.dropFirst() {
            if !isEnded { inserted += lineBreak }
            inserted += file[template.record.lowerBound..<template.content.lowerBound]
            inserted += encoding.encoded(line)
            inserted += file[template.content.upperBound..<template.record.upperBound]
        }
        let end = template.record.upperBound
        edits.append(Edit(end..<end, inserted))
        return edits
    }

    /// The changes that put other text in place of parts of the line.
    ///
    /// - Parameter changes: In bytes of the line's text, ascending, none overlapping another.
    func edits(_ changes: [Edit], in file: [UInt8]) -> [Edit] {
        let bounds = changes.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        let places = self.places(of: bounds, in: file)
        guard places.count == bounds.count else { return [] }
        return changes.indices.flatMap { index in
            edits(
                from: places[2 * index], to: places[2 * index + 1],
                encoding.encoded(changes[index].bytes))
        }
    }

    /// A place in one of the pieces.
    private struct Place {
        var piece: Int
        var offset: Int
    }

    private func edits(from start: Place, to end: Place, _ text: [UInt8]) -> [Edit] {
        guard start.piece < end.piece else { return [Edit(start.offset..<end.offset, text)] }
        var edits = [Edit(start.offset..<pieces[start.piece].content.upperBound, text)]
        for piece in start.piece + 1..<end.piece { edits.append(Edit(pieces[piece].content, [])) }
        edits.append(Edit(pieces[end.piece].content.lowerBound..<end.offset, []))
        return edits
    }

    /// Where bytes of the text stand in the file.
    ///
    /// - Parameter wanted: Ascending. Those behind the end of the text are left out.
    private func places(of wanted: [Int], in file: [UInt8]) -> [Place] {
        var places: [Place] = []
        var passed = 0
        for (number, piece) in pieces.enumerated() {
            for (source, length) in steps(of: piece.content, in: file) {
                while places.count < wanted.count, wanted[places.count] < passed + length {
                    let distance = max(0, wanted[places.count] - passed)
                    places.append(
                        Place(piece: number, offset: source.lowerBound + min(distance, source.count)))
                }
                passed += length
            }
        }
        if let last = pieces.indices.last {
            while places.count < wanted.count, wanted[places.count] == passed {
                places.append(Place(piece: last, offset: pieces[last].content.upperBound))
            }
        }
        return places
    }

    /// The parts of a piece, each with how many bytes of text it makes.
    private func steps(of content: Range<Int>, in file: [UInt8]) -> [(Range<Int>, Int)] {
        guard encoding == .json else { return [(content, content.count)] }
        return JSONStringParts(file, in: content).map { part in
            switch part {
            case .verbatim(let range): (range, range.count)
            case .escape(let range, let character):
                // What is one character stays in one piece, so a place within it is its start.
                (range, UTF8.width(character))
            }
        }
    }
}
