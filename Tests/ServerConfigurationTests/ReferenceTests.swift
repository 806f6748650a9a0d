import Foundation
import ServerConfiguration
import TestSupport
import Testing

@Suite("The configuration reference")
struct ReferenceTests {
    /// Run with `UPDATE_GOLDENS=1` to rewrite the table, then read the change with `git diff`.
    @Test("contains the table of settings")
    func settings() throws {
        let file = projectFolder.appendingPathComponent("Documentation/Configuration.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let heading = try #require(text.range(of: "\n## Every setting\n\n"))
        let expected = text[..<heading.upperBound] + SettingTable.markdown
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text == expected, "run with UPDATE_GOLDENS=1, then read the change")
    }
}
