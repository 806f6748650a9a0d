package import CallStacks
package import JSONText
package import MetricKitPayloads

/// A format whose reports are JSON values.
package protocol JSONReportFormat: SendableMetatype {
    /// Whether a value has the keys of the format.
    static func fits(_ root: JSONValue) -> Bool

    /// Adds the reports in the value to `file`.
    static func read(_ input: JSONReportInput, into file: inout CrashFile)
}

/// A format whose reports are text.
package protocol TextReportFormat: SendableMetatype {
    /// Whether a line identifies the format.
    static func isIdentified(by line: ArraySlice<UInt8>) -> Bool

    /// Adds the reports in the text to `file`.
    static func read(_ input: TextReportInput, into file: inout CrashFile)
}

/// One JSON value of a file.
package struct JSONReportInput {
    package let document: JSONDocument
    package let root: JSONValue
    /// The value's range in the file.
    package let range: Range<Int>
    package let context: ReadingContext

    package init(
        document: JSONDocument, root: JSONValue, range: Range<Int>, context: ReadingContext
    ) {
        self.document = document
        self.root = root
        self.range = range
        self.context = context
    }

    /// The formats whose reports are JSON values, in the order in which they are tried.
    package static let formats: [any JSONReportFormat.Type] = [
        SentryReport.self, UnsupportedJSONReport.self, IPSReport.self, SwiftJSONReport.self,
        KSCrashReport.self, AppStoreConnectReport.self, StackshotReport.self, JetsamReport.self,
    ]

    /// The remark that explains why the value is incomplete, or `nil` if it is complete.
    package var damage: Remark? {
        switch document.failure?.reason {
        case .truncated: .jsonTruncated
        case .invalid: .jsonInvalid
        case .depthLimit: .depthLimit
        case .bytesLimit, .tokensLimit: .sizeLimit
        case nil: nil
        }
    }
}

/// The text of a file, or the text after a header in it.
package struct TextReportInput {
    package let lines: TextLines
    package let context: ReadingContext

    package init(lines: TextLines, context: ReadingContext) {
        self.lines = lines
        self.context = context
    }

    /// The range in the file from the first line to the last.
    var range: Range<Int> {
        guard let first = lines.ranges.first, let last = lines.ranges.last else { return 0..<0 }
        return first.lowerBound..<last.upperBound
    }
}

/// Facts known about a range of a file before it is read.
package struct ReadingContext {
    /// The header line before an `.ips` body or a text.
    package var header: JSONValue?
    package let processes: ProcessFilter
    package let limits: PayloadLimits

    package init(
        header: JSONValue? = nil, processes: ProcessFilter = .target,
        limits: PayloadLimits = PayloadLimits()
    ) {
        self.header = header
        self.processes = processes
        self.limits = limits
    }
}
