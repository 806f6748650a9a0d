import CallStacks
import JSONText

/// Writes functions into a backtrace in JSON: one object per function, with the runtime's keys in
/// its order. Frames that were not resolved stay unchanged.
struct SwiftJSONRewriter: ReportRewriter {
    /// The text that positions of frames refer to.
    enum Text: Sendable {
        case file
        /// The text of a log line.
        case line(LoggedLine, file: [UInt8])
    }

    struct Frame: Sendable {
        /// The frame's index in the tree.
        var index: Int
        /// The range of all objects of the physical frame.
        var range: Range<Int>
        var kind: String
        var address: String
        var image: String?
    }

    let text: Text
    let frames: [Frame]
    /// Whether functions have demangled names, too.
    let hasDescriptions: Bool

    /// The size of an object's keys, and of values other than names, in bytes.
    private static let keysByteCount = 320

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        let edits = frames.compactMap { frame -> Edit? in
            let functions = results.functions(at: frame.index)
            guard !functions.isEmpty else { return nil }
            let found = functions.map { SwiftFunction($0) }
            let copied = Self.keysByteCount + (frame.image?.utf8.count ?? 0)
            guard found.allSatisfy({ budget.reserve(2 * $0.byteCount + copied) }) else {
                return nil
            }
            let objects = found.map { object($0, of: frame) }
            return Edit(frame.range, objects.joined(separator: ", "))
        }
        switch text {
        case .file: return edits
        case .line(let line, let file): return line.edits(edits, in: file)
        }
    }

    private func object(_ function: SwiftFunction, of frame: Frame) -> String {
        var members: [(String, String)] = [
            ("kind", quoted(frame.kind)), ("address", quoted(frame.address)),
        ]
        if function.isInlined { members.append(("inlined", "true")) }
        if function.isRuntimeFailure { members.append(("runtimeFailure", "true")) }
        if function.isThunk { members.append(("thunk", "true")) }
        if function.isSystem { members.append(("system", "true")) }
        members.append(("symbol", quoted(function.symbol)))
        members.append(("offset", String(function.distance)))
        if hasDescriptions {
            let distance = function.distance > 0 ? " + \(function.distance)" : ""
            members.append(("description", quoted(function.name + distance)))
        }
        if let image = frame.image { members.append(("image", quoted(image))) }
        if let path = function.path {
            let location = [
                #""file": \#(quoted(path))"#, #""line": \#(function.line)"#,
                #""column": \#(function.column)"#,
            ]
            members.append(("sourceLocation", "{ \(location.joined(separator: ", ")) }"))
        }
        return "{ " + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + " }"
    }

    private func quoted(_ text: String) -> String {
        "\"\(String(decoding: Array(text.utf8).escapedForJSON, as: UTF8.self))\""
    }
}
