import Foundation
import ReportFormats
import TestSupport
import Testing

@Suite("Formats")
struct CrashFormatTests {
    @Test("each format has one line in the documentation", arguments: CrashFormat.allCases)
    func documented(format: CrashFormat) throws {
        let page = projectFolder.appendingPathComponent("Documentation/CommandLine.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("| `\(format.rawValue)` |")
        }
        #expect(rows.count == 1)
    }
}
