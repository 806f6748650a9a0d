import CallStacks
import JSONText
import StackRendering

/// Writes functions into the frame lines of a text report.
///
/// A line stays the same up to its address, except for its number after inserted lines. A frame
/// with inlined calls becomes one line per function, innermost first.
struct CrashTextRewriter: ReportRewriter {
    /// A frame line.
    struct Record {
        var line: Int
        /// The frame's index in the tree.
        var physical: Int
    }

    /// An address list such as `(0x18b66f5e4 0x18b0ad0c4)`, which is replaced by frame lines.
    fileprivate struct AddressList {
        var addresses: [UInt64]
        var images: [ListedImage?]
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
        _ addresses: [UInt64], images: [ListedImage?], first: Int, range: Range<Int>
    ) {
        lists.append(
            AddressList(addresses: addresses, images: images, first: first, range: range))
    }

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        for records in stacks {
            edits += self.edits(of: records, results: results, budget: &budget)
        }
        return edits + lists.flatMap { self.edits(of: $0, results: results, budget: &budget) }
    }

    private func edits(
        of records: [Record], results: FrameFunctions, budget: inout EditBudget
    ) -> [Edit] {
        var edits: [Edit] = []
        var shift = 0
        var start = 0
        while start < records.count {
            let physical = records[start].physical
            let end = records[start...].firstIndex { $0.physical != physical } ?? records.count
            let functions = results.functions(at: physical)
            let length = lines.ranges[records[end - 1].line].count
            if functions.isEmpty || !budget.reserve(functions, repeating: length) {
                for record in records[start..<end] { edits += renumbered(record.line, by: shift) }
            } else {
                edits += rewritten(records[start..<end], functions: functions, shiftedBy: shift)
                shift += functions.count - (end - start)
            }
            start = end
        }
        return edits
    }

    private func renumbered(_ line: Int, by shift: Int) -> [Edit] {
        guard shift != 0, let frame = FrameLine(lines.content(line)) else { return [] }
        let start = lines.ranges[line].lowerBound
        let end = lines.fileOffset(inLine: line, at: frame.imageStart)
        return [Edit(start..<end, lines.numberField(frame.number + shift, over: start..<end))]
    }

    /// Returns the lines of one physical frame, modelled on its last line.
    private func rewritten(
        _ records: ArraySlice<Record>, functions: [SymbolicatedFrame], shiftedBy shift: Int
    ) -> [Edit] {
        guard let last = records.last, let pattern = FrameLine(lines.content(last.line)),
            let number = records.first.flatMap({ FrameLine(lines.content($0.line)) })?.number
        else { return [] }
        let (first, removed) = lines.gathered(records.map(\.line), at: last.line)
        let start = lines.ranges[last.line].lowerBound
        let imageStart = lines.fileOffset(inLine: last.line, at: pattern.imageStart)
        let restStart = lines.fileOffset(inLine: last.line, at: pattern.restRange.lowerBound)
        let restEnd = lines.fileOffset(inLine: last.line, at: pattern.restRange.upperBound)
        let needsBlank = pattern.restRange.lowerBound == pattern.addressEnd
        var text: [UInt8] = []
        for (index, function) in functions.enumerated() {
            if index > 0 {
                if pattern.isQuoted { text += Array("\",".utf8) }
                text += lines.lineEndOrPrevious(last.line)
            }
            text += lines.numberField(number + shift + index, over: start..<imageStart)
            text += lines.bytes[imageStart..<restStart]
            if needsBlank { text.append(0x20) }
            text += pattern.encoded(lines.encoded(function.crashText))
        }
        let range = lines.ranges[first].lowerBound..<restEnd
        return removed + (lines.bytes[range].elementsEqual(text) ? [] : [Edit(range, text)])
    }
}

extension CrashTextRewriter {
    private func edits(
        of list: AddressList, results: FrameFunctions, budget: inout EditBudget
    ) -> [Edit] {
        let resolved = list.addresses.indices.map { index in
            let functions = results.functions(at: list.first + index)
            let length = list.images[index]?.name?.utf8.count ?? 0
            return budget.reserve(functions, repeating: length) ? functions : []
        }
        guard resolved.contains(where: { !$0.isEmpty }) else { return [] }
        let layout = CrashFrameLine(like: stacks.lazy.compactMap(\.first).first, in: lines)
        var rows: [String] = []
        for (index, functions) in resolved.enumerated() {
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

extension FrameLine {
    /// Returns the bytes of a text in the line, which may be a string.
    fileprivate func encoded(_ text: String) -> [UInt8] {
        isQuoted ? Array(text.utf8).escapedForJSON : Array(text.utf8)
    }
}

extension CrashTextRewriter.AddressList {
    /// Returns an offset such as `0x104a2c000 + 15040`.
    func unresolved(_ index: Int) -> String {
        let base = images[index]?.base?.rawValue ?? 0
        let offset = addresses[index] >= base ? addresses[index] - base : addresses[index]
        return "0x\(String(base, radix: 16)) + \(offset)"
    }
}

extension CrashFrameLine {
    /// Copies the layout of an existing line, or else uses Apple's.
    fileprivate init(like record: CrashTextRewriter.Record?, in lines: TextLines) {
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
