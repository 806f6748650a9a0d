import CallStacks
import JSONText
import ReportFormats

/// Redacts a text with reports in JSON at its start, or after other text.
struct DocumentRedaction {
    private let bytes: [UInt8]
    private var json: JSONRedaction
    private let processes: Set<String>?
    /// The starts of JSON to redact even if it does not have the keys of a report.
    private let knownStarts: Set<Int>
    private(set) var edits: [Edit] = []
    /// Whether the text contains JSON that is redacted as such.
    private(set) var hasJSON = false
    /// The end of the text that has been redacted so far.
    private var end = 0
    /// The number of damaged objects that turned out not to be reports.
    private var damagedCount = 0

    /// The maximum number of damaged objects. Each attempt may read to the end of the text.
    private static let damagedObjectsLimit = 16

    /// - Parameters:
    ///   - json: The redaction of the JSON.
    ///   - processes: As in ``TextRedaction/processes``.
    init(
        _ bytes: [UInt8], json: JSONRedaction, processes: Set<String>? = nil,
        knownStarts: Set<Int> = []
    ) {
        self.bytes = bytes
        self.json = json
        self.processes = processes
        self.knownStarts = knownStarts
    }

    /// Redacts a range. Ranges must be in ascending order.
    ///
    /// - Parameter readsFirstValue: Whether a JSON value at the start is redacted as JSON, even if
    ///   it is not a report.
    /// - Complexity: O(*n* log *n*) in the size of the range.
    mutating func redact(_ range: Range<Int>, readsFirstValue: Bool) {
        end = range.lowerBound
        var position = redactValues(in: range, isKnown: readsFirstValue)
        while let start = startOfObject(from: position, in: range) {
            let known = isKnown(start, before: range.upperBound)
            position = redactValues(in: start..<range.upperBound, isKnown: known)
        }
        redactText(until: range.upperBound)
    }

    /// Returns the start of the first line that begins an object.
    private func startOfObject(from position: Int, in range: Range<Int>) -> Int? {
        var start = position
        while start < range.upperBound {
            let startsLine = start > range.lowerBound && bytes[start - 1] == .newline
            if startsLine, bytes[start] == UInt8(ascii: "{") { return start }
            guard let newline = bytes[start..<range.upperBound].firstIndex(of: .newline)
            else { return nil }
            start = newline + 1
        }
        return nil
    }

    /// Whether a line is the start of a report, or a record with a text that is redacted elsewhere.
    private func isKnown(_ start: Int, before end: Int) -> Bool {
        if knownStarts.contains(start) { return true }
        guard !json.excluded.isEmpty else { return false }
        return json.excluded.hasStart(
            in: start..<(bytes[start..<end].firstIndex(of: .newline) ?? end))
    }

    private mutating func redactText(until position: Int) {
        guard end < position else { return }
        edits += TextRedaction.edits(
            of: bytes, in: end..<position, level: json.level, processes: processes)
        end = position
    }
}

extension DocumentRedaction {
    /// Redacts consecutive JSON values, and the text before them.
    ///
    /// - Parameter isKnown: Whether they are redacted even if the first is not a report.
    /// - Returns: The position from which to look for further values.
    private mutating func redactValues(in range: Range<Int>, isKnown: Bool) -> Int {
        var values = JSONValueSequence(bytes, in: range, context: ReadingContext())
        let start = range.lowerBound
        guard values.startsWithJSON, isKnown || damagedCount < Self.damagedObjectsLimit
        else { return min(start + 1, range.upperBound) }
        var next = values.next()
        if !isKnown, values.header == nil, next?.isReport != true {
            guard let next, next.damage == nil else {
                damagedCount += 1
                return min(start + 1, range.upperBound)
            }
            return next.range.upperBound
        }
        while let value = next {
            if let line = values.skippedLine, line.lowerBound >= end { redactDamaged(line) }
            json.targets = value.targets
            if let header = value.context.header { redact(header) }
            redact(value.root)
            if !value.root.isWhole { redactDamage(in: value) }
            next = values.next()
        }
        if let header = values.header { redact(header) }
        if let tail = values.tail, "\"}".utf8.contains(bytes[tail.lowerBound]) {
            redactDamaged(tail)
        }
        return max(end, start + 1)
    }

    private mutating func redact(_ root: JSONValue) {
        hasJSON = true
        redactText(until: root.range.lowerBound)
        edits += json.edits(of: root)
        end = max(end, root.range.upperBound)
    }

    /// Redacts JSON that could not be parsed: a damaged header, or the text after an extra closing
    /// bracket.
    private mutating func redactDamaged(_ range: Range<Int>) {
        redactText(until: range.lowerBound)
        let damaged = DamagedJSONRedaction(bytes, in: range, json: json)
        edits += damaged.edits
        end = damaged.range.upperBound
    }

    /// Redacts the rest of a damaged value, up to the next value or text.
    private mutating func redactDamage(in value: JSONReportInput) {
        let damaged = DamagedJSONRedaction(
            bytes, after: value.root, until: value.range.upperBound, json: json)
        edits += damaged.edits
        end = max(end, damaged.range.upperBound)
    }
}

extension JSONReportInput {
    /// The names of the processes that the report is about.
    fileprivate var targets: Set<String> {
        let names = [context.header?["name"], context.header?["app_name"]]
        return Set(names.compactMap { $0?.string })
            .union(JetsamReport.subjects(of: root)).union(StackshotReport.subjects(of: root))
    }

    /// Whether the value is a report, or the beginning of a truncated one.
    fileprivate var isReport: Bool {
        context.header != nil || Self.formats.contains { $0.fits(root) }
            || IPSReport.isBeginning(self)
    }
}
