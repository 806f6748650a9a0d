import CallStacks
import ReportFormats

/// Redacts private values in a text report, line by line.
struct TextRedaction {
    /// The change to a line.
    enum Change: Equatable {
        /// Edits in bytes from the start of the line; empty if it stays unchanged.
        case edited([Edit])
        case removed
    }

    let level: RedactionLevel
    /// The format of the report around the lines, if it is known.
    var format: CrashFormat?
    /// The processes of a spindump to keep, as it names them, or `nil` for all.
    var processes: Set<String>?
    private var section = TextSection.none
    /// Whether the section has content after its title.
    private var hasContent = false

    init(level: RedactionLevel, format: CrashFormat? = nil, processes: Set<String>? = nil) {
        self.level = level
        self.format = format
        self.processes = processes
    }

    /// Returns the edits of a range of lines, in bytes of the text.
    static func edits(
        of text: [UInt8], in range: Range<Int>, level: RedactionLevel,
        processes: Set<String>? = nil
    ) -> [Edit] {
        var redaction = Self(level: level, processes: processes)
        var edits: [Edit] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let newline = text[position..<range.upperBound].firstIndex(of: .newline)
            let next = newline.map { $0 + 1 } ?? range.upperBound
            var end = newline ?? range.upperBound
            if end > position, text[end - 1] == .carriageReturn { end -= 1 }
            switch redaction.change(of: text[position..<end]) {
            case .removed: edits.append(Edit(position..<next, []))
            case .edited(let changes): edits += changes.map { $0.moved(by: position) }
            }
            position = next
        }
        return edits
    }

    /// - Parameter line: The next line, without its end.
    mutating func change(of line: ArraySlice<UInt8>) -> Change {
        let hasPanics = format == .rustPanic || format == .goPanic
        let next = section.next(
            at: line, hasContent: hasContent, hasPanics: hasPanics, processes: processes)
        // Each process starts a new section.
        if next != section || next.isTitle(line) { hasContent = false }
        section = next
        defer { hasContent = hasContent || !(section.isTitle(line) || line.trimmed.isEmpty) }
        if section.isTitle(line) || line.trimmed.isEmpty {
            return section == .process ? .removed : .edited(moved(edits(ofLine: line), in: line))
        }
        switch section {
        case .process: return leftOut(line, as: "Process:          ")
        case .state where level == .strict: return leftOut(line)
        case .message, .panic: return change(ofMessage: line)
        case .none, .state: return .edited(moved(edits(ofLine: line), in: line))
        }
    }

    private func change(ofMessage line: ArraySlice<UInt8>) -> Change {
        let message = MessageRedaction(text: line)
        if level == .strict, message.messageRange == nil { return leftOut(line) }
        return .edited(moved(message.edits(level), in: line))
    }

    /// Replaces the first line of a section by a notice, and removes the others.
    private func leftOut(_ line: ArraySlice<UInt8>, as title: String = "") -> Change {
        if hasContent { return .removed }
        return .edited([Edit(0..<line.count, title + RedactionLevel.placeholder)])
    }

    private func moved(_ edits: [Edit], in line: ArraySlice<UInt8>) -> [Edit] {
        edits.map { $0.moved(by: -line.startIndex) }
    }

    private func edits(ofLine line: ArraySlice<UInt8>) -> [Edit] {
        if let value = KeyValueLine(line), let key = value.key {
            switch key {
            case .device, .credential: return [.redaction(value.range)]
            case .message where level == .strict, .surroundings where level == .strict:
                return [.redaction(value.range)]
            case .message: return PrivateText(text: line, isMessage: true).edits
            case .surroundings, .body, .memory, .state, .name, .stackText, .processList,
                .processName:
                break
            }
        }
        let message = MessageRedaction(text: line, isLogLine: true)
        if SwiftPreamble.isMessage(line) || message.messageRange != nil {
            return message.edits(level)
        }
        if let contents = AllocationListing(line)?.contents {
            let start = line.startIndex + contents.lowerBound
            return PrivateText(text: line[..<start]).edits + [.redaction(start..<line.endIndex)]
        }
        let edits = PrivateText(text: line).edits
        if format == .gdb || format == .lldb || DebuggerLine.isFrame(line) {
            return (edits + DebuggerLine(text: line).edits(level)).united
        }
        if edits.isEmpty || !namesCode(line) { return edits }
        return PrivateText(text: line).editsOfPaths
    }

    /// Whether a line is a frame or an image, so that its names are code.
    private func namesCode(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count <= TextLines.lineBytesLimit else { return false }
        return FrameLine(line) != nil || ImageLine(line) != nil
            || SpindumpNotation.line(line)?.frame != nil || SampleNotation.line(line)?.frame != nil
            || AndroidFrameLine(line) != nil || SwiftRow(TerminalText.shown(Array(line))) != nil
    }
}
