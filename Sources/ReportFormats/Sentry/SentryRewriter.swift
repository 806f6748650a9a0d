import CallStacks
import JSONText

/// Writes functions into the frames of an event, under Sentry's keys. Inlined calls become frames
/// after that of their function, the innermost one last.
struct SentryRewriter: ReportRewriter {
    struct Record {
        /// The frame of the function that owns the code, followed by those of the calls inlined
        /// into it.
        let frames: [JSONValue]
        /// The frame's index in the tree.
        let physical: Int
    }

    let bytes: [UInt8]
    let records: [Record]
    let keys: SentryKeys

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        for record in records {
            let functions = Array(results.functions(at: record.physical).reversed())
            let length = record.frames.first?.range.count ?? 0
            guard let owner = record.frames.first, !functions.isEmpty,
                record.frames.count == 1 || record.frames.count == functions.count,
                budget.reserve(functions, repeating: length)
            else { continue }
            for (frame, function) in zip(record.frames, functions) {
                edits += self.edits(of: frame, function)
            }
            if record.frames.count < functions.count {
                edits.append(inserting(functions.dropFirst(), after: owner))
            }
        }
        return edits
    }

    private func edits(of frame: JSONValue, _ function: SymbolicatedFrame) -> [Edit] {
        let text = JSONObjectText(frame, in: bytes)
        var wanted = members(of: function)
        if let was = frame["function"]?.nonEmpty, was != function.function,
            !ReportedFunction.placeholders.contains(was), frame["symbolist"] == nil
        {
            wanted.append(("symbolist", Self.was(was)))
        }
        var edits = wanted.compactMap { member in
            frame[member.key] == nil ? nil : text.replacing(member.key, by: member.value)
        }
        if let edit = text.appending(wanted.filter { frame[$0.key] == nil }) { edits.append(edit) }
        return edits
    }

    private func inserting(
        _ functions: ArraySlice<SymbolicatedFrame>, after owner: JSONValue
    ) -> Edit {
        let text = JSONObjectText(owner, in: bytes)
        let copied = copiedKeys.compactMap { key in
            owner[key].map { (key: key, value: Array(bytes[$0.quotedRange])) }
        }
        var inserted: [UInt8] = []
        let space = bytes[..<owner.range.lowerBound].spaceAtEnd
        for function in functions {
            inserted.append(UInt8(ascii: ","))
            inserted += space
            inserted += text.object(
                copied + members(of: function) + [("symbolist", Self.insertedMark)])
        }
        return Edit(owner.range.upperBound..<owner.range.upperBound, inserted)
    }

    private var copiedKeys: [String] {
        [keys.address, keys.addressMode, "package", "image_addr", keys.inApp, "platform"]
    }

    /// Whether a frame is an inlined call that Symbolist wrote after its function.
    static func isInserted(_ frame: JSONValue) -> Bool {
        frame["symbolist"]?["inlined"]?.bool == true
    }

    private static let insertedMark = Array(#"{"inlined":true}"#.utf8)

    private func members(
        of function: SymbolicatedFrame
    ) -> [(key: String, value: [UInt8])] {
        var members: [(key: String, value: [UInt8])] = []
        if let name = function.function { members.append(("function", Array(json: name))) }
        if let symbol = function.mangled { members.append(("symbol", Array(json: symbol))) }
        guard let file = function.file else { return members }
        members.append(("filename", Array(json: file.name)))
        members.append((keys.path, Array(json: file.path)))
        members.append((keys.line, Array(json: UInt64(function.exactLine))))
        if function.exactColumn > 0 {
            members.append((keys.column, Array(json: UInt64(function.exactColumn))))
        }
        return members
    }

    private static func was(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("was")
        writer.beginObject()
        writer.key("function")
        writer.string(name)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
