import CallStacks

/// Collects the lines of a text report that no other property contains, in blocks.
struct UnparsedCrashLines {
    private(set) var sections: [ReportSection] = []
    private var isOpen = false
    private var lineCount = 0

    /// Lines that end a report and carry no information.
    private static let marks: Set<String> = ["EOF", "```", "-----------", "Full Report", "--"]

    /// - Returns: Whether the line fitted.
    mutating func add(_ line: String) -> Bool {
        if Self.marks.contains(line.trimmed) { return true }
        guard lineCount < ReportSection.linesLimit else { return false }
        lineCount += 1
        let text = String(decoding: line.utf8.prefix(ReportSection.lineBytesLimit), as: UTF8.self)
        if isOpen {
            sections[sections.count - 1].lines.append(text)
        } else {
            sections.append(ReportSection(lines: [text]))
            isOpen = true
        }
        return true
    }

    /// Ends a block, as an empty line does.
    mutating func end() { isOpen = false }
}
