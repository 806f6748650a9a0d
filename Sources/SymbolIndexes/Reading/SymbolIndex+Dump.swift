import CallStacks

// A dump is for people and for `git diff`: header fields first, then code in the order of its
// offsets, with a line for each thing that can change independently.
//
//     0x1000..<0x1040 main
//       0x1000 /src/main.c:10:1
//       0x1010 helper, inlined at /src/main.c:11:3
//         0x1010 /src/util.c:5:9
//       0x1020 /src/main.c:12:5

extension SymbolIndex {
    /// Writes the index as text.
    public func dump(to output: inout some TextOutputStream) throws(SymbolIndexError) {
        try dumpHeader(to: &output)
        try withSections { (sections) throws(SymbolIndexError) in
            guard var cursor = try EntryCursor(atStartOf: sections) else { return }
            var dump = FunctionDump(sections)
            repeat { try dump.add(cursor.stretch, to: &output) } while try cursor.advance()
            dump.finish(to: &output)
        }
    }

    /// Returns the index as text.
    public func dump() throws(SymbolIndexError) -> String {
        var text = ""
        try dump(to: &text)
        return text
    }

    private func dumpHeader(to output: inout some TextOutputStream) throws(SymbolIndexError) {
        let kind = image.identityKind == .uuid ? "uuid" : "build-id"
        let counts = header.shape.counts
        output.write(
            """
            image \(image.id)
            identity \(kind)
            architecture \(image.architecture.name)
            base 0x\(String(image.base.rawValue, radix: 16))
            platform \(image.platform)
            format \(IndexLayout.formatVersion)
            flags \(flags.names.isEmpty ? "none" : flags.names.joined(separator: " "))
            scale \(header.shape.scale)
            entries \(counts.entries)
            scopes \(counts.scopes)
            names \(counts.names)
            files \(counts.files)
            wide columns \(counts.wideColumns)

            """)
        try dumpNotes(to: &output)
        output.write("\n")
    }

    private func dumpNotes(to output: inout some TextOutputStream) throws(SymbolIndexError) {
        let notes = try notes()
        output.write("units \(notes.unitsRead) read, \(notes.unitsFailed) failed\n")
        for version in notes.dwarfVersions { output.write("dwarf \(version)\n") }
        for producer in notes.producers { output.write("producer \(producer.onOneLine)\n") }
        for failure in notes.failures { output.write("failure \(failure.onOneLine)\n") }
        for warning in notes.warnings { output.write("warning \(warning.onOneLine)\n") }
    }
}

extension IndexFlags {
    /// The names of the flags that are set, in the order of their bits.
    var names: [String] {
        let named: [(Self, String)] = [
            (.lines, "lines"), (.inlines, "inlines"), (.columns, "columns"),
            (.wideStarts, "wide-starts"), (.symbolTableOnly, "symbol-table-only"),
            (.systemImage, "system-image"), (.completeSymbols, "complete-symbols"),
            (.unitsFailed, "units-failed"),
        ]
        return named.filter { contains($0.0) }.map(\.1)
    }
}

extension String {
    /// The text with control characters escaped, so that it stays on one line.
    fileprivate var onOneLine: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return self }
        return unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }
}

/// The lines of one contiguous piece of a function, collected because the first line has its end.
private struct FunctionDump {
    private let sections: IndexSections
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var lines = ""
    /// The scopes of the last entry, the function first.
    private var open: [(number: Int, frame: NumberedFrame)] = []

    init(_ sections: IndexSections) { self.sections = sections }

    mutating func add(
        _ stretch: EntryCursor.Stretch, to output: inout some TextOutputStream
    ) throws(SymbolIndexError) {
        guard let entry = stretch.entry else { return finish(to: &output) }
        var chain: [(number: Int, frame: NumberedFrame)] = []
        let functionStart = try sections.walk(from: entry) { chain.append(($0, $1)) }
        chain.reverse()
        if open.first?.number != chain.first?.number {
            finish(to: &output)
            start = stretch.start
            try beginFunction(chain[0].frame, start: functionStart)
        }
        try openCalls(chain, at: stretch.start)
        let location = try text(ofLocation: chain[chain.count - 1].frame)
        write(depth: chain.count, at: stretch.start, text: location)
        end = stretch.end
        open = chain
    }

    /// Writes the collected lines.
    mutating func finish(to output: inout some TextOutputStream) {
        if open.isEmpty { return }
        output.write("0x\(String(start, radix: 16))..<0x\(String(end, radix: 16)) \(lines)")
        lines = ""
        open = []
    }

    private mutating func beginFunction(
        _ frame: NumberedFrame, start functionStart: UInt64
    ) throws(SymbolIndexError) {
        lines += try text(ofName: frame)
        if start != functionStart { lines += ", from 0x\(String(functionStart, radix: 16))" }
        lines += "\n"
    }

    /// Writes the calls that contain this entry but not the previous one.
    private mutating func openCalls(
        _ chain: [(number: Int, frame: NumberedFrame)], at offset: UInt64
    ) throws(SymbolIndexError) {
        let common = zip(open, chain).prefix { $0.number == $1.number }.count
        for depth in max(common, 1)..<max(chain.count, 1) {
            // The location of a call is in the frame that it was inlined into.
            let site = try text(ofLocation: chain[depth - 1].frame)
            let name = try text(ofName: chain[depth].frame)
            write(depth: depth, at: offset, text: "\(name), inlined at \(site)")
        }
    }

    private mutating func write(depth: Int, at offset: UInt64, text: String) {
        lines += String(repeating: "  ", count: depth)
        lines += "0x\(String(offset, radix: 16)) \(text)\n"
    }

    private func text(ofName frame: NumberedFrame) throws(SymbolIndexError) -> String {
        try sections.name(frame.name)?.onOneLine ?? "(no name)"
    }

    /// Returns `path:line:column`, without the column if it is 0.
    private func text(ofLocation frame: NumberedFrame) throws(SymbolIndexError) -> String {
        guard let number = frame.file else { return frame.line == 0 ? "-" : "-:\(frame.line)" }
        let path = try sections.file(number).path.onOneLine
        return "\(path):\(frame.line)" + (frame.column == 0 ? "" : ":\(frame.column)")
    }
}
