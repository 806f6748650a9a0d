import CallStacks
import JSONText
import MetricKitPayloads

/// A format whose reports are JSON values.
protocol JSONReportReading: SendableMetatype {
    /// Whether a value has the keys of the format.
    static func fits(_ root: JSONValue) -> Bool

    /// Adds what the value holds to the file.
    static func read(_ part: JSONPart, into file: inout CrashFile)
}

/// A format whose reports are text.
protocol TextReportReading: SendableMetatype {
    /// Whether a line tells the format.
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool

    /// Adds the reports of the text to the file.
    static func read(_ part: TextPart, into file: inout CrashFile)
}

/// One JSON value of a file.
struct JSONPart {
    let document: JSONDocument
    let root: JSONValue
    /// Its text in the file.
    let range: Range<Int>
    let context: ReadingContext

    /// The remark that says why the value is not whole, or `nil`.
    var damage: Remark? {
        switch document.failure?.reason {
        case .truncated: .jsonTruncated
        case .invalid: .jsonInvalid
        case .depthLimit: .depthLimit
        case .bytesLimit, .tokensLimit: .sizeLimit
        case nil: nil
        }
    }
}

/// The text of a file, or what follows a header in it.
struct TextPart {
    let lines: TextLines
    let context: ReadingContext

    /// From the first line to the last in the file.
    var range: Range<Int> {
        guard let first = lines.ranges.first, let last = lines.ranges.last else { return 0..<0 }
        return first.lowerBound..<last.upperBound
    }
}

/// What is known about a part of a file before it is read.
struct ReadingContext {
    /// The line of JSON before an `.ips` body or a text.
    var header: JSONValue?
    var processes = ProcessChoice.target
    var limits = PayloadLimits()
}
