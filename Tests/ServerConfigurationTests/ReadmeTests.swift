import Foundation
import ServerConfiguration
import TestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
    /// Run with `UPDATE_GOLDENS=1` to write the table anew.
    @Test("has the table of all settings")
    func settings() throws {
        let file = projectFolder.appendingPathComponent("README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let table = SettingTable.markdown
        let heading = try #require(table.split(separator: "\n").first)
        let start = try #require(text.range(of: heading)).lowerBound
        let rows = text[start...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("|") }
        let present = rows.map { "\($0)\n" }.joined()
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            let whole = text.replacingOccurrences(of: present, with: table)
            try whole.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(present == table, "run with UPDATE_GOLDENS=1, then read the change")
    }
}
