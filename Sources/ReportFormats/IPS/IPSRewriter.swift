import CallStacks
import JSONText
import StackRendering

/// Writes functions into the frames of an `.ips` report as Apple's tools do, with a record for each
/// inlined call before the frame's own.
struct IPSRewriter: ReportRewriter {
    /// An object in a list of frames.
    struct Record {
        let value: JSONValue
        /// The frame's index in the tree.
        let physical: Int
    }

    /// A backtrace in a string.
    struct Text {
        let value: JSONValue
        let rewriter: CrashTextRewriter
    }

    let root: JSONValue
    let bytes: [UInt8]
    private let isWhole: Bool
    private let records: [Record]
    private let texts: [Text]

    init(_ input: JSONReportInput, records: [Record], texts: [Text]) {
        root = input.root
        bytes = input.document.bytes
        isWhole = input.root.isWhole
        self.records = records
        self.texts = texts
    }

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        var start = 0
        while start < records.count {
            let physical = records[start].physical
            let end = records[start...].firstIndex { $0.physical != physical } ?? records.count
            let functions = results.functions(at: physical)
            let copied = records[start..<end].last?.value.copiedByteCount ?? 0
            if !functions.isEmpty, budget.reserve(functions, repeating: copied) {
                edits += self.edits(
                    of: records[start..<end], functions: functions, annotates: results.annotates)
            }
            start = end
        }
        for text in texts { edits += self.edits(of: text, results: results, budget: &budget) }
        if !edits.isEmpty, isWhole, root["symbolist"] == nil {
            edits += [summary(results.diagnostic)].compactMap { $0 }
        }
        return edits
    }

    private func edits(
        of text: Text, results: FrameFunctions, budget: inout EditBudget
    ) -> [Edit] {
        let edits = text.rewriter.edits(with: results, budget: &budget)
        guard !edits.isEmpty, let content = text.value.stringBytes else { return [] }
        let written = String(decoding: edits.applied(to: Array(content)), as: UTF8.self)
        return [Edit(text.value.quotedRange, Array(json: written))]
    }

    private func edits(
        of records: ArraySlice<Record>, functions: [SymbolicatedFrame], annotates: Bool
    ) -> [Edit] {
        guard let owner = records.last?.value, let function = functions.last else { return [] }
        let inlined = records.dropLast().map(\.value)
        let text = JSONObjectText(owner, in: bytes)
        let note = note(on: owner, function, annotates: annotates)
        if zip(records.map(\.value), functions).allSatisfy({ Self.says($0, function: $1) }),
            records.count == functions.count
        {
            let marks = inlined.compactMap {
                JSONObjectText($0, in: bytes).replacing("inline", by: Array("true".utf8))
            }
            return annotates
                ? marks + self.edits(of: owner, members: [], note: note, text: text) : marks
        }
        var inserted: [UInt8] = []
        let space = space(before: owner)
        for function in functions.dropLast() {
            inserted += record(of: function, like: owner, text: text) + [UInt8(ascii: ",")]
            inserted += space
        }
        let edits = self.edits(replacing: inlined, before: owner, by: inserted)
        return edits + self.edits(of: owner, members: members(of: function), note: note, text: text)
    }

    /// Replaces the records of inlined calls, keeping anything else between them.
    private func edits(
        replacing inlined: [JSONValue], before owner: JSONValue, by inserted: [UInt8]
    ) -> [Edit] {
        var start = owner.range.lowerBound
        var removed: [Edit] = []
        for record in inlined.reversed() {
            let end = end(ofElement: record)
            if end == start {
                start = record.range.lowerBound
            } else {
                removed.append(Edit(record.range.lowerBound..<end, []))
            }
        }
        let old = start..<owner.range.lowerBound
        return bytes[old].elementsEqual(inserted) ? removed : removed + [Edit(old, inserted)]
    }

    /// Returns the start of the next element.
    private func end(ofElement value: JSONValue) -> Int {
        let rest = bytes[value.range.upperBound...]
        return rest.firstIndex { $0 > 0x20 && $0 != UInt8(ascii: ",") } ?? rest.endIndex
    }

    /// Whether a record already has the function.
    private static func says(_ record: JSONValue, function: SymbolicatedFrame) -> Bool {
        guard record.isInlinedFrame == function.isInlined,
            record["symbol"]?.string == function.function
        else { return false }
        guard let location = function.appleLocation else { return record["sourceFile"] == nil }
        return record["sourceFile"]?.string == location.file
            && record["sourceLine"]?.unsigned == UInt64(location.line)
    }

    /// Returns the white space between the list's bracket or comma and a record.
    private func space(before record: JSONValue) -> ArraySlice<UInt8> {
        bytes[..<record.range.lowerBound].spaceAtEnd
    }

    /// Returns the record of an inlined call, with its keys in Apple's order.
    private func record(
        of function: SymbolicatedFrame, like owner: JSONValue, text: JSONObjectText
    ) -> [UInt8] {
        var members = [("symbol", Array(json: function.function ?? ""))]
        members.append(("inline", Array("true".utf8)))
        for key in ["imageIndex", "imageOffset"] {
            if let value = owner[key] { members.append((key, Array(bytes[value.quotedRange]))) }
        }
        if let distance = function.callDistance {
            members.append(("symbolLocation", Array(json: distance)))
        }
        if let location = function.appleLocation {
            members.append(("sourceLine", Array(json: UInt64(location.line))))
            members.append(("sourceFile", Array(json: location.file)))
        }
        return text.object(members.map { (key: $0.0, value: $0.1) })
    }

    /// Returns the members of the frame's own record that describe its function.
    private func members(of function: SymbolicatedFrame) -> [(key: String, value: [UInt8])] {
        var wanted: [(key: String, value: [UInt8])] = []
        wanted.append(("symbol", Array(json: function.function ?? "")))
        if let distance = function.functionDistance {
            wanted.append(("symbolLocation", Array(json: distance)))
        }
        if let location = function.appleLocation {
            wanted.append(("sourceFile", Array(json: location.file)))
            wanted.append(("sourceLine", Array(json: UInt64(location.line))))
        }
        return wanted
    }

    /// Returns the edits of the frame's own record.
    ///
    /// - Parameter note: See ``note(on:_:annotates:)``.
    private func edits(
        of owner: JSONValue, members: [(key: String, value: [UInt8])], note: [UInt8]?,
        text: JSONObjectText
    ) -> [Edit] {
        var wanted = members
        if let note { wanted.append(("symbolist", note)) }
        let replaced = wanted.compactMap { text.replacing($0.key, by: $0.value) }
        return replaced
            + [text.appending(wanted.filter { owner[$0.key] == nil })].compactMap { $0 }
    }
}

extension JSONValue {
    /// The number of bytes of a record that its inlined calls repeat.
    fileprivate var copiedByteCount: Int {
        ["imageIndex", "imageOffset"].reduce(8 * JSONObjectText.spaceLimit) {
            $0 + (self[$1]?.quotedRange.count ?? 0)
        }
    }
}
