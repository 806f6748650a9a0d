/// An excerpt of a spindump: headings of threads, and nodes of their trees.
///
///       Thread 0x4d2    DispatchQueue "com.apple.main-thread"(1)    30 samples (1-30)
///       30  start + 6076 (dyld + 15028) [0x18b0ef154]
///         30  ??? (Shop + 15028) [0x104a2fab4]
package enum SpindumpExcerpt: TextReportFormat {
    private static let thread = Array("Thread 0x".utf8)
    private static let samples = Array(" samples".utf8)

    /// The number of spaces before a thread's heading.
    package static let headingIndentation = 2

    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        guard line.first == .space else { return false }
        let content = line.drop { $0 == .space }
        return isHeading(content) || isNode(content)
    }

    /// Whether a line without its indentation is a thread's heading.
    package static func isHeading(_ content: ArraySlice<UInt8>) -> Bool {
        content.starts(with: thread) && content.contains(subsequence: samples)
    }

    /// Whether a line without its indentation is a node of a tree.
    package static func isNode(_ content: ArraySlice<UInt8>) -> Bool {
        guard let first = content.first, let last = content.last,
            first.isDigit || first == UInt8(ascii: "*"), last.isDigit || last == UInt8(ascii: "]")
        else { return false }
        return SpindumpNotation.line(content)?.frame != nil
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        SpindumpReport.read(input, into: &file)
    }
}
