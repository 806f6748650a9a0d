/// An excerpt of a spindump: headings of threads, and nodes of their trees.
///
///       Thread 0x4d2    DispatchQueue "com.apple.main-thread"(1)    30 samples (1-30)
///       30  start + 6076 (dyld + 15028) [0x18b0ef154]
///         30  ??? (Shop + 15028) [0x104a2fab4]
package enum SpindumpExcerpt: TextReportFormat {
    private static let thread = Array("Thread 0x".utf8)
    private static let samples = Array(" samples".utf8)

    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        guard line.first == UInt8(ascii: " "), let first = line.firstIndex(where: { !$0.isBlank })
        else { return false }
        let content = line[first...]
        if content.starts(with: thread) { return content.contains(subsequence: samples) }
        guard content[first].isDigit || content[first] == UInt8(ascii: "*"),
            content.last == UInt8(ascii: "]") || content.last?.isDigit == true
        else { return false }
        return SpindumpNotation.line(line)?.frame != nil
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        SpindumpReport.read(input, into: &file)
    }
}
