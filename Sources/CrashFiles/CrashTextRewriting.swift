import CallStacks
import StackRendering

/// Writes functions into the frame lines of a text report.
///
/// Up to the address a line stays as it is, but for its number where lines were inserted before it.
/// A frame with inlined calls becomes a line for each function, innermost first.
struct CrashTextRewriting: ReportRewriting {
    /// A line that holds a frame.
    struct Record {
        var line: Int
        /// The frame's index in the tree.
        var physical: Int
    }

    /// `(0x18b66f5e4 0x18b0ad0c4)`, which becomes lines of frames.
    fileprivate struct AddressList {
        var addresses: [UInt64]
        var images: [ReportedImage?]
        /// The index of the first address in the tree; the others follow.
        var first: Int
        var range: Range<Int>
    }

    private let lines: TextLines
    private var stacks: [[Record]] = []
    private var lists: [AddressList] = []

    init(lines: TextLines) { self.lines = lines }

    mutating func add(_ records: [Record]) {
        if !records.isEmpty { stacks.append(records) }
    }

    mutating func add(
        _ addresses: [UInt64], images: [ReportedImage?], first: Int, range: Range<Int>
    ) {
        lists.append(
            AddressList(addresses: addresses, images: images, first: first, range: range))
    }

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        for records in stacks { edits += self.edits(of: records, answers, &budget) }
        return edits + lists.flatMap { self.edits(of: $0, answers, &budget) }
    }

    private func edits(
        of records: [Record], _ answers: AnsweredFrames, _ budget: inout EditBudget
    ) -> [Edit] {
        var edits: [Edit] = []
        var shift = 0
        var start = 0
        while start < records.count {
            let physical = records[start].physical
            let end = records[start...].firstIndex { $0.physical != physical } ?? records.count
            let functions = answers.functions(at: physical)
            let length = lines.ranges[records[end - 1].line].count
            if functions.isEmpty || !budget.takes(functions, repeating: length) {
                for record in records[start..<end] { edits += renumbered(record.line, by: shift) }
            } else {
                edits += rewritten(records[start..<end], functions, shiftedBy: shift)
                shift += functions.count - (end - start)
            }
            start = end
        }
        return edits
    }

    private func renumbered(_ line: Int, by shift: Int) -> [Edit] {
        guard shift != 0, let frame = FrameLine(lines.content(line)) else { return [] }
        let start = lines.ranges[line].lowerBound
        let end = lines.place(line, frame.imageStart)
        return [Edit(start..<end, numberField(frame.number + shift, start..<end))]
    }

    /// The lines of one physical frame, with its last line as the pattern.
    private func rewritten(
        _ records: ArraySlice<Record>, _ functions: [SymbolicatedFrame], shiftedBy shift: Int
    ) -> [Edit] {
        guard let last = records.last, let pattern = FrameLine(lines.content(last.line)),
            let number = records.first.flatMap({ FrameLine(lines.content($0.line)) })?.number
        else { return [] }
        let (first, removed) = lines.gathered(records.map(\.line), at: last.line)
        let start = lines.ranges[last.line].lowerBound
        let imageStart = lines.place(last.line, pattern.imageStart)
        let restStart = lines.place(last.line, pattern.restRange.lowerBound)
        let restEnd = lines.place(last.line, pattern.restRange.upperBound)
        let needsBlank = pattern.restRange.lowerBound == pattern.addressEnd
        var text: [UInt8] = []
        for (index, function) in functions.enumerated() {
            if index > 0 { text += lineEnd(last.line) }
            text += numberField(number + shift + index, start..<imageStart)
            text += lines.bytes[imageStart..<restStart]
            if needsBlank { text.append(0x20) }
            text += Array(lines.encoded(function.crashText).utf8)
        }
        let range = lines.ranges[first].lowerBound..<restEnd
        return removed + (lines.bytes[range].elementsEqual(text) ? [] : [Edit(range, text)])
    }

    /// A number in place of another one, with the blanks around it.
    private func numberField(_ number: Int, _ range: Range<Int>) -> [UInt8] {
        let field = lines.bytes[range]
        let leading = field.prefix { $0 == 0x20 || $0 == 0x09 }
        let old = field[leading.endIndex...].prefix { (0x30...0x39).contains($0) }
        var blanks = Array(field[old.endIndex...])
        let digits = Array(String(number).utf8)
        for _ in 0..<max(digits.count - old.count, 0) where blanks.count > 1 { blanks.removeLast() }
        for _ in 0..<max(old.count - digits.count, 0) { blanks.append(0x20) }
        return leading + digits + blanks
    }

    /// What ends a line; that of the line before where the text ends without.
    private func lineEnd(_ line: Int) -> ArraySlice<UInt8> {
        let own = lines.lineEnd(line)
        if !own.isEmpty { return own }
        return line > 0 ? lines.lineEnd(line - 1) : [0x0a]
    }
}

extension CrashTextRewriting {
    private func edits(
        of list: AddressList, _ answers: AnsweredFrames, _ budget: inout EditBudget
    ) -> [Edit] {
        let answered = list.addresses.indices.map { index in
            let functions = answers.functions(at: list.first + index)
            let length = list.images[index]?.name?.utf8.count ?? 0
            return budget.takes(functions, repeating: length) ? functions : []
        }
        guard answered.contains(where: { !$0.isEmpty }) else { return [] }
        let layout = CrashFrameLine(like: stacks.lazy.compactMap(\.first).first, in: lines)
        var rows: [String] = []
        for (index, functions) in answered.enumerated() {
            let texts =
                functions.isEmpty
                ? [list.unresolved(index)] : functions.map { lines.encoded($0.crashText) }
            for text in texts {
                rows.append(
                    layout.text(
                        number: rows.count, image: list.images[index]?.name ?? "???",
                        address: list.addresses[index], rest: text))
            }
        }
        let end = lines.lineEnd(0).first == 0x0d ? "\r\n" : "\n"
        return [Edit(list.range, rows.joined(separator: end))]
    }
}

extension CrashTextRewriting.AddressList {
    /// `0x104a2c000 + 15040`.
    func unresolved(_ index: Int) -> String {
        let base = images[index]?.base?.rawValue ?? 0
        let offset = addresses[index] >= base ? addresses[index] - base : addresses[index]
        return "0x\(String(base, radix: 16)) + \(offset)"
    }
}

extension CrashFrameLine {
    /// As in a line that is there, or as Apple writes it.
    fileprivate init(like record: CrashTextRewriting.Record?, in lines: TextLines) {
        self.init()
        guard let record, let frame = FrameLine(lines.content(record.line)) else { return }
        let content = Array(lines.content(record.line))
        let head = content[..<frame.addressEnd]
        if !head.contains(0x09) { separator = " " }
        let address = head.suffix(while: { $0 != 0x20 && $0 != 0x09 })
        if address.count > 2, address.dropFirst(2).first == 0x30 {
            addressDigits = address.count - 2
        }
    }
}

extension BidirectionalCollection {
    fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, predicate(self[index(before: start)]) {
            start = index(before: start)
        }
        return self[start...]
    }
}
