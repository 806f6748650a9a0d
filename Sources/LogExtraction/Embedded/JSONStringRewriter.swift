import JSONText
import ReportFormats

/// Writes functions into a report inside a string of a JSON file, with its escapes.
struct JSONStringRewriter: ReportRewriter {
    let file: [UInt8]
    /// The string.
    let value: JSONValue
    /// Rewrites the report in the string's text.
    let report: any ReportRewriter

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        let edits = report.edits(with: results, budget: &budget)
        guard !edits.isEmpty else { return [] }
        let line = LoggedLine(
            fragments: [LoggedLine.Fragment(content: value.range, record: value.range)],
            encoding: .json, lineBreak: [], isEnded: false)
        return line.edits(edits.inOrder(before: line.content(in: file).count), in: file)
    }
}
