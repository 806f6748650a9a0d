import Foundation
import TestSupport
import Testing

@testable import ServerConfiguration

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

    /// Run with `UPDATE_GOLDENS=1` to rewrite the list, then read the change with `git diff`.
    @Test("the README lists every setting with its default")
    func readme() throws {
        let file = projectFolder.appendingPathComponent("README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "</summary>\n\n")).upperBound
        let end = try #require(text.range(of: "\n\n</details>")).lowerBound
        let expected = text[..<start] + SettingTable.paragraph + text[end...]
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text == expected, "run with UPDATE_GOLDENS=1, then read the change")
    }
}
