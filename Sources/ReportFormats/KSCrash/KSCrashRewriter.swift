import CallStacks
import JSONText

/// Writes functions into the frames of a KSCrash report. Programs rely on its number of frames, so
/// inlined calls are stored inside their frame under Symbolist's own key.
struct KSCrashRewriter: ReportRewriter {
    /// A frame of a thread.
    struct Record {
        let value: JSONValue
        /// The frame's index in the tree.
        let physical: Int
    }

    let bytes: [UInt8]
    let records: [Record]

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        return records.flatMap { record in
            let functions = results.functions(at: record.physical)
            let longestFolder = functions.reduce(0) { max($0, $1.file?.folder.utf8.count ?? 0) }
            guard !functions.isEmpty, budget.reserve(functions, repeating: longestFolder) else {
                return [] as [Edit]
            }
            return edits(of: record.value, functions: functions)
        }
    }

    private func edits(of frame: JSONValue, functions: [SymbolicatedFrame]) -> [Edit] {
        guard let owner = functions.last, let name = owner.function else { return [] }
        let text = JSONObjectText(frame, in: bytes)
        var wanted = [(key: "symbol_name", value: Array(json: name))]
        if let start = owner.functionStart {
            wanted.append((key: "symbol_addr", value: Array(json: start)))
        }
        if let found = found(functions, in: frame) {
            wanted.append((key: "symbolist", value: found))
        }
        var edits = wanted.compactMap { member -> Edit? in
            if let old = frame[member.key], old.says(member.value) { return nil }
            return text.replacing(member.key, by: member.value)
        }
        if let edit = text.appending(wanted.filter { frame[$0.key] == nil }) { edits.append(edit) }
        return edits
    }

    /// Returns a value with the functions and the symbol they replace, or `nil` if there is none.
    private func found(_ functions: [SymbolicatedFrame], in frame: JSONValue) -> [UInt8]? {
        guard let owner = functions.last else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.location(of: owner)
        if functions.count > 1 {
            writer.key("inlined")
            writer.beginArray()
            for function in functions.dropLast() {
                writer.beginObject()
                writer.key("symbol")
                writer.string(function.function ?? "")
                writer.location(of: function)
                writer.endObject()
            }
            writer.endArray()
        }
        let was = frame["symbolist"]?["was"]
        if let was {
            writer.key("was")
            writer.copy(was)
        } else if let name = frame["symbol_name"]?.nonEmpty, name != owner.function {
            writer.was(name, start: frame["symbol_addr"])
        }
        writer.endObject()
        return writer.bytes.count > 2 ? writer.bytes : nil
    }
}

extension JSONWriter {
    fileprivate mutating func location(of function: SymbolicatedFrame) {
        guard let file = function.file else { return }
        key("file")
        string(file.path)
        key("line")
        unsigned(UInt64(function.exactLine))
        guard function.exactColumn > 0 else { return }
        key("column")
        unsigned(UInt64(function.column))
    }

    fileprivate mutating func was(_ name: String, start: JSONValue?) {
        key("was")
        beginObject()
        key("symbol_name")
        string(name)
        if let start {
            key("symbol_addr")
            copy(start)
        }
        endObject()
    }
}

extension JSONValue {
    /// Whether a text has the same meaning in different notation.
    fileprivate func says(_ text: [UInt8]) -> Bool {
        guard isWhole, kind == .object else { return false }
        var writer = JSONWriter()
        writer.copy(self)
        return writer.bytes == text
    }
}

extension SymbolicatedFrame {
    /// The start of the function in the process's memory.
    fileprivate var functionStart: UInt64? {
        guard let loadAddress, let offset, let functionDistance,
            functionDistance <= offset.rawValue
        else { return nil }
        return loadAddress.rawValue &+ (offset.rawValue - functionDistance)
    }
}
