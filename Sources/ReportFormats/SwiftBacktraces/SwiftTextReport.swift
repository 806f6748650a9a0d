import CallStacks
package import MetricKitPayloads

/// Backtraces that crashing Swift programs print on Linux, in a file or in any log.
package enum SwiftTextReport: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        for position in line.indices {
            switch line[position] {
            case UInt8(ascii: "P"), UInt8(ascii: "S"):
                let isHeadline =
                    line.begins(with: "Program crashed: ", at: position)
                    || line.begins(with: "Swift runtime failure: ", at: position)
                if isHeadline, line[..<position].suffix(12).contains(where: isOfMark) {
                    return true
                }
            case UInt8(ascii: "B") where line.begins(with: "Backtracing from 0x", at: position):
                if line[..<position].suffix(16).position(of: "Signal ") != nil { return true }
            case UInt8(ascii: "c") where line.begins(with: "crashReport", at: position):
                if line[..<position].suffix(16).position(of: "kind") != nil { return true }
            default: break
            }
        }
        return false
    }

    private static func isOfMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == .escape || byte >= 0x80
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        SwiftLogParser(input.lines.bytes, in: input.range, limits: input.context.limits).read(
            into: &file)
    }
}

/// Reads all backtraces of a log.
package struct SwiftLogParser {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private let limits: PayloadLimits

    package init(_ bytes: [UInt8], in range: Range<Int>, limits: PayloadLimits) {
        self.bytes = bytes
        self.range = range
        self.limits = limits
    }

    /// - Returns: Whether there was one.
    @discardableResult
    package func read(into file: inout CrashFile) -> Bool {
        var search = SwiftTraceSearch(bytes, in: range)
        var isFound = false
        var attempts = 0
        var readAgain = 0
        var objects = SwiftJSONParser(bytes, range, limits)
        while let start = search.next() {
            if start.line.lowerBound < search.floor { readAgain += start.line.count }
            guard attempts < limits.elements,
                readAgain + objects.wastedByteCount <= Self.readAgainLimit
            else {
                file.remarks.append(.sizeLimit)
                break
            }
            attempts += 1
            let report =
                start.kind == .object
                ? objects.report(start) : trace(start, notBefore: search.floor)
            if var report {
                report.logLayout = start.layout
                file.reports.append(report)
                isFound = true
                search.skip(to: report.range.upperBound)
            } else {
                search.skipHeadlines(to: start.line.upperBound)
            }
            if start.kind == .object { search.skip(to: start.line.upperBound) }
        }
        return isFound
    }

    /// The maximum number of bytes read again: lines with further backtraces, and text after braces
    /// that do not open a report.
    private static let readAgainLimit = 64 * TextLines.lineBytesLimit

    /// Reads a backtrace in text.
    private func trace(_ start: SwiftTraceStart, notBefore floor: Int) -> CrashReport? {
        // If the line is a record that contains an earlier backtrace too, it is read from its
        // start.
        let begin = min(
            start.line.lowerBound,
            bytes[...].lineStart(
                SwiftPreamble.linesLimit, linesBefore: start.line.lowerBound, notBefore: floor))
        var lines = ProcessLogLines(bytes, in: begin..<range.upperBound, layout: start.layout)
        var before: [LoggedLine] = []
        while let line = lines.next() {
            guard line.range.contains(start.position) else {
                if line.range.lowerBound > start.position { return nil }
                if line.range.lowerBound >= floor { before.append(line) }
                continue
            }
            var reader = SwiftTraceParser(
                headline: line, before: before.suffix(SwiftPreamble.linesLimit), in: bytes,
                limits: SwiftTraceParser.Limits(
                    threads: limits.stacksPerTree, frames: limits.framesPerTree,
                    images: limits.imagesPerTree))
            while let next = lines.next(), reader.read(next, in: bytes) {}
            return SwiftTraceModel(reader.trace, in: bytes).report
        }
        return nil
    }
}
