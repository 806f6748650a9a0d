import JSONText

/// Writes a report that stands in a string of a JSON file, with its escapes.
struct NestedRewriting: ReportRewriting {
    let file: [UInt8]
    /// The string.
    let value: JSONValue
    /// That of the report in the text of the string.
    let report: any ReportRewriting

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        let edits = report.edits(with: answers, &budget)
        guard !edits.isEmpty else { return [] }
        let line = LoggedLine(
            pieces: [LoggedLine.Piece(content: value.range, record: value.range)],
            encoding: .json, lineBreak: [], isEnded: false)
        return line.edits(edits.inOrder(before: line.content(in: file).count), in: file)
    }
}
