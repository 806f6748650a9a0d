import Foundation
import TestSupport
import Testing

/// Reports of exceeded resources, whose thread did not crash.
@Suite("symbolicate, threads marked without a crash", .ownThreads)
struct MarkedThreadTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static let report = """
        Hardware Model:      iPhone15,2
        Process:             Orchard [4711]
        OS Version:          iPhone OS 18.1 (22B83)

        Exception Type:  EXC_RESOURCE
        Exception Message: (Limit 50%) Observed 60% over 180 secs
        Exception Note:  NON-FATAL CONDITION (this is NOT a crash)

        Thread 0:
        0   Orchard                       \t0x0000000104a30038 0x104a2c000 + 16440

        Thread 1 WORD:
        0   OrchardKit                    \t0x0000000105b44170 0x105b40000 + 16752

        Binary Images:
        0x104a2c000 - 0x104a3bfff Orchard arm64e  <4c4c448155553144a199bfceae3fe729> /A
        0x105b40000 - 0x105b4ffff OrchardKit arm64e  <4c4c44e355553144a1033964daaddc31> /K

        EOF

        """

    private func run(_ format: String, _ mark: String, system: String? = nil) throws -> String {
        var text = Self.report.replacing("WORD", with: mark)
        if let system { text = text.replacing("iPhone OS 18.1 (22B83)", with: system) }
        let file = try workspace.file("x.crash", text: text)
        let run = try workspace.symbolist(
            "symbolicate", file, "--format", format, "--symbols", Orchard.absolute(Orchard.symbols))
        #expect(run.status == 0)
        #expect(run.text.contains("hash_row"), "\(format)")
        return run.text
    }

    @Test(
        "every text has the report's mark, and none calls the thread crashed",
        arguments: ["text", "markdown", "crash", "same"], ["Attributed", "Highlighted"])
    func texts(format: String, mark: String) throws {
        let text = try run(format, mark)
        #expect(text.contains("Thread 1 \(mark)"))
        #expect(!text.contains("Crashed") && !text.contains("crashed"))
    }

    @Test("JSON has the mark of the thread", arguments: ["Attributed", "Highlighted"])
    func json(mark: String) throws {
        let object = try JSONSerialization.jsonObject(with: Data(try run("json", mark).utf8))
        let threads = try #require((object as? [String: Any])?["threads"] as? [[String: Any]])
        #expect(threads.map { $0["crashed"] as? Bool } == [false, false])
        #expect(threads.map { $0["mark"] as? String } == [nil, mark])
        let crash = try workspace.symbolist(
            "symbolicate", "--format", "json", input: SameFormTests.crash)
        let crashed = try #require(try crash.object()["threads"] as? [[String: Any]])
        #expect(crashed.map { $0["crashed"] as? Bool } == [true])
        #expect(crashed.allSatisfy { $0["mark"] == nil })
    }

    @Test(
        "the header of Apple's text names the thread as the report does",
        arguments: [("iPhone OS 18.1 (22B83)", "  1"), ("macOS 15.1 (24B83)", " 1")])
    func header(system: String, number: String) throws {
        let highlighted = try run("crash", "Highlighted", system: system)
        #expect(highlighted.contains("\nHighlighted by Thread:\(number)\n"))
        let attributed = try run("crash", "Attributed", system: system)
        #expect(attributed.contains("\nTriggered by Thread:"))
        #expect(!attributed.contains("Crashed Thread:"))
    }
}
