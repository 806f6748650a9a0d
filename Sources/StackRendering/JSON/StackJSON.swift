public import CallStacks
public import JSONText

/// The JSON for programs, which has the same shape for every diagnostic.
///
///     {"kind", "status", "culprit", "fingerprint", "exception": {"type", "message"},
///      "threads": [{"index", "crashed", "name", "frames": [FRAME…]}],
///      "tree": [NODE…],
///      "images": [{"uuid", "name", "arch", "status", "wanted_by_frames"}],
///      "remarks": [CODE…]}
///
/// All of these keys are always present. ``hasDetails`` adds those of the following that have a
/// value: `termination` with `reason` and `description`, `note`, `vm_region`, `registers` with
/// `kind`, `values` and `meaning`, and `sections`, each an array of lines. `redacted` is the level
/// of a redacted diagnostic, `default` or `strict`. A stack that is not a thread has `role`:
/// `last_exception`, `application_backtrace` or `allocation`. A thread that the report marks without
/// calling it crashed has `mark`: `Attributed` or `Highlighted`. A thread with several roots is one
/// element for each of its paths, with the same `index`. Linear stacks, innermost first, are
/// in `threads`, and `tree` is empty; sampled stacks, outermost first, are in `tree`, and `threads`
/// is empty. A `NODE` is a `FRAME` with `samples` and `children`; a root also has `thread`, with
/// `index`, `crashed` and `name`. Siblings are in the order received.
///
/// Every `FRAME` has the same keys, whatever its status: `image`, `uuid`, `offset`, `address`,
/// `status`, `in_app`, `function`, `mangled`, `function_offset`, `file`, `path`, `line`, `column`,
/// `approximate`, `inlined`, `compiler_generated`. Unknown values are `null`, such as the function
/// of a frame that stayed raw. A line of 0 means that the debug information has no line for the
/// code. `reason` explains a missing function or line, and `remarks` has further remarks; both are
/// omitted if empty.
public struct StackJSON: Sendable {
    public var layout: JSONWriter.Layout
    /// Whether to write registers, memory and all other parts of the report.
    public var hasDetails: Bool

    public init(layout: JSONWriter.Layout = .compact, hasDetails: Bool = false) {
        self.layout = layout
        self.hasDetails = hasDetails
    }

    public func text(of diagnostic: SymbolicatedDiagnostic) -> String {
        var writer = JSONWriter(layout: layout)
        write(diagnostic, to: &writer)
        return writer.text
    }

    public func write(_ diagnostic: SymbolicatedDiagnostic, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", diagnostic.kind.rawValue)
        writer.member("status", diagnostic.status.rawValue)
        writer.member("culprit", diagnostic.culprit)
        writer.member("fingerprint", diagnostic.fingerprint)
        writer.key("exception")
        writer.beginObject()
        writer.member("type", diagnostic.exceptionName)
        writer.member("message", diagnostic.exceptionMessage)
        writer.endObject()
        let threads = diagnostic.form == .threads ? diagnostic.stacks : []
        let paths = threads.flatMap(diagnostic.paths(of:))
        writer.array("threads", paths) { $0.thread($1, of: diagnostic) }
        writer.key("tree")
        writer.beginArray()
        if diagnostic.form == .sampled {
            for stack in diagnostic.stacks { writer.trees(stack, of: diagnostic) }
        }
        writer.endArray()
        writer.array("images", diagnostic.images) { $0.image($1) }
        writer.array("remarks", diagnostic.remarks) { $0.string($1.rawValue) }
        if hasDetails { writer.details(diagnostic.details) }
        if diagnostic.redaction != .none {
            writer.member("redacted", diagnostic.redaction.rawValue)
        }
        writer.endObject()
    }
}

extension SymbolicatedDiagnostic {
    /// Returns the paths of a linear stack, which start at its roots.
    fileprivate func paths(of stack: CallStack) -> [CallStack] {
        let roots = stack.frames.dropFirst().filter { frames[$0].parent == nil }
        guard !roots.isEmpty else { return [stack] }
        let bounds = [stack.frames.lowerBound] + roots + [stack.frames.upperBound]
        return zip(bounds, bounds.dropFirst()).map { start, end in
            var path = stack
            path.frames = start..<end
            return path
        }
    }
}

extension JSONWriter {
    /// Writes the parts of a report other than its stacks.
    fileprivate mutating func details(_ details: DiagnosticDetails) {
        if details.terminationReason != nil || details.terminationDescription != nil {
            key("termination")
            beginObject()
            member("reason", details.terminationReason)
            member("description", details.fields[.terminationDescription])
            endObject()
        }
        if let note = details.fields[.exceptionNote] { member("note", note) }
        if let region = details.virtualMemoryRegion { member("vm_region", region) }
        if let registers = details.registers { self.registers(registers) }
        guard !details.sections.isEmpty else { return }
        array("sections", details.sections) { writer, section in
            writer.beginArray()
            for line in section.lines { writer.string(line) }
            writer.endArray()
        }
    }

    private mutating func registers(_ registers: Registers) {
        key("registers")
        beginObject()
        member("kind", registers.kind)
        array("values", registers.values) { writer, register in
            writer.beginObject()
            writer.member("name", register.name)
            writer.member("value", hex(register.value))
            writer.endObject()
        }
        member("meaning", registers.meaning)
        endObject()
    }

    fileprivate mutating func thread(
        _ stack: CallStack, of diagnostic: SymbolicatedDiagnostic
    ) {
        beginObject()
        labels(of: stack)
        array("frames", diagnostic.frames[stack.frames]) { $0.frame($1) }
        endObject()
    }

    private mutating func labels(of stack: CallStack) {
        member("index", UInt64(clamping: stack.index))
        member("crashed", stack.isAttributed && stack.mark == nil)
        if let mark = stack.mark { member("mark", mark) }
        member("name", stack.name)
        if stack.role != .thread { member("role", stack.role.rawValue) }
    }

    /// Writes the trees of one sampled stack, without recursion, because they may have thousands of
    /// levels.
    fileprivate mutating func trees(
        _ stack: CallStack, of diagnostic: SymbolicatedDiagnostic
    ) {
        let children = ChildFrames(diagnostic.frames, of: stack.frames)
        var open: [ArraySlice<Int>] = [children.roots[...]]
        while let row = next(&open) {
            beginObject()
            if open.count == 1 {
                key("thread")
                beginObject()
                labels(of: stack)
                endObject()
            }
            members(of: diagnostic.frames[row])
            member("samples", diagnostic.frames[row].samples)
            key("children")
            beginArray()
            open.append(children(of: row))
        }
    }

    /// Returns the next frame to write, after closing the nodes whose children are complete.
    private mutating func next(_ open: inout [ArraySlice<Int>]) -> Int? {
        while let rows = open.last {
            if let row = rows.first {
                open[open.count - 1].removeFirst()
                return row
            }
            open.removeLast()
            if !open.isEmpty {
                endArray()
                endObject()
            }
        }
        return nil
    }

    fileprivate mutating func image(_ report: ImageStatus) {
        beginObject()
        member("uuid", report.image?.description)
        member("name", report.name)
        member("arch", report.architecture)
        member("status", report.status.rawValue)
        member("wanted_by_frames", UInt64(clamping: report.frameCount))
        endObject()
    }
}
