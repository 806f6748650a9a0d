extension LoggedLine {
    /// Returns the edits that replace this line with other lines. Each additional line gets a copy
    /// of the last record with its own text.
    package func edits(rewritingAs lines: [[UInt8]], in file: [UInt8]) -> [Edit] {
        guard let first = lines.first else { return fragments.map { Edit($0.record, "") } }
        var edits: [Edit] = []
        if content(in: file) != first {
            for (number, fragment) in fragments.enumerated() {
                edits.append(Edit(fragment.content, number == 0 ? encoding.encoded(first) : []))
            }
        }
        guard lines.count > 1, let template = fragments.last else { return edits }
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

    /// Returns the edits that replace parts of the line.
    ///
    /// - Parameter changes: Edits in bytes of the line's text, ascending, without overlaps.
    package func edits(_ changes: [Edit], in file: [UInt8]) -> [Edit] {
        let bounds = changes.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        let positions = self.positions(of: bounds, in: file)
        guard positions.count == bounds.count else { return [] }
        return changes.indices.flatMap { index in
            edits(
                from: positions[2 * index], to: positions[2 * index + 1],
                text: encoding.encoded(changes[index].bytes))
        }
    }

    /// A position in one of the fragments.
    private struct Position {
        var fragment: Int
        var offset: Int
    }

    private func edits(from start: Position, to end: Position, text: [UInt8]) -> [Edit] {
        guard start.fragment < end.fragment else { return [Edit(start.offset..<end.offset, text)] }
        var edits = [Edit(start.offset..<fragments[start.fragment].content.upperBound, text)]
        for fragment in start.fragment + 1..<end.fragment {
            edits.append(Edit(fragments[fragment].content, []))
        }
        edits.append(Edit(fragments[end.fragment].content.lowerBound..<end.offset, []))
        return edits
    }

    /// Returns the positions of text bytes in the file.
    ///
    /// - Parameter wanted: Offsets, ascending. Those past the end of the text are dropped.
    private func positions(of wanted: [Int], in file: [UInt8]) -> [Position] {
        var positions: [Position] = []
        var passed = 0
        for (number, fragment) in fragments.enumerated() {
            for (source, length) in steps(of: fragment.content, in: file) {
                while positions.count < wanted.count, wanted[positions.count] < passed + length {
                    let distance = max(0, wanted[positions.count] - passed)
                    positions.append(
                        Position(
                            fragment: number,
                            offset: source.lowerBound + min(distance, source.count)))
                }
                passed += length
            }
        }
        if let last = fragments.indices.last {
            while positions.count < wanted.count, wanted[positions.count] == passed {
                positions.append(
                    Position(fragment: last, offset: fragments[last].content.upperBound))
            }
        }
        return positions
    }

    /// Returns the parts of a fragment, each with the number of text bytes it encodes.
    private func steps(of content: Range<Int>, in file: [UInt8]) -> [(Range<Int>, Int)] {
        guard encoding == .json else { return [(content, content.count)] }
        return JSONStringTokens(file, in: content).map { token in
            switch token {
            case .verbatim(let range): (range, range.count)
            case .escape(let range, let character):
                // A character is never split, so a position inside it counts as its start.
                (range, UTF8.width(character))
            }
        }
    }
}
