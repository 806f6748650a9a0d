import Foundation
import TestSupport
import Testing

/// The messages of `symbolist symbolicate` about reports whose frames cannot be looked up.
@Suite("symbolicate, incomplete reports", .ownThreads)
struct IncompleteReportTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func answer(_ text: String, _ more: String...) throws -> Run {
        let file = try workspace.file("report", text: text)
        return try workspace.run(
            executable.path,
            ["symbolicate", file, "--symbols", Orchard.absolute(Orchard.symbols)] + more, input: "",
            environment: [:], in: workspace.folder)
    }

    private static let header =
        #"{"app_name":"Orchard","bug_type":"309","app_version":"1.4.0","name":"Orchard","#
        + #""slice_uuid":"4c4c4481-5555-3144-a199-bfceae3fe729"}"# + "\n"
    private static let frame = #"{"imageIndex":0,"imageOffset":17540}"#

    @Test(
        "a truncated report is reported with its end and the one known identity",
        arguments: [
            (header + "{\n", "ends before its threads"),
            (
                header + #"{"faultingThread":0,"exception":{},"threads":[{"frames":[\#(frame)"#,
                "ends before its list of images, so its frames belong to none"
            ),
        ])
    func cut(text: String, words: String) throws {
        let run = try answer(text)
        #expect(run.status == 1)
        #expect(run.text.contains("Orchard"))
        #expect(
            run.problems.map { $0.replacing(workspace.folder.path + "/", with: "") } == [
                "report: \(words), and names only the main executable, Orchard "
                    + "4C4C4481-5555-3144-A199-BFCEAE3FE729: pass the whole file"
            ])
        let same = try answer(text, "--format", "same")
        #expect(same.text == text)
        #expect(same.status == 1)
    }

    @Test("a whole report without images is reported with the one known identity")
    func noImages() throws {
        let run = try answer(
            Self.header + #"{"faultingThread":0,"exception":{},"#
                + #""threads":[{"frames":[\#(Self.frame)]}]}"#)
        #expect(
            run.problems.map { $0.replacing(workspace.folder.path + "/", with: "") } == [
                "report: lists no images, so addresses belong to none, and names only the main "
                    + "executable, Orchard 4C4C4481-5555-3144-A199-BFCEAE3FE729: pass the whole file"
            ])
    }

    @Test("a stack that its writer cut is not said to exceed the limit of this program")
    func cutByWriter() throws {
        let run = try answer(
            #"{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"#
                + #""4C4C4481-5555-3144-A199-BFCEAE3FE729","offsetIntoBinaryTextSegment":18036,"#
                + #""exceededMaxDepth":true}]}]}"#)
        #expect(run.status == 1)
        #expect(
            run.problems.map { $0.replacing(workspace.folder.path + "/", with: "") } == [
                "report: a stack lacks frames beyond a depth limit: its writer's, or 16384 frames: "
                    + "the rest is read"
            ])
    }

    @Test("a complete report without frames is a success with a message")
    func noFrames() throws {
        let run = try answer(
            #"{"report":{"id":"1"},"system":{},"crash":{"error":{"type":"memory_termination"}}}"#)
        #expect(run.status == 0)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.contains("has no frames") == true)
        #expect(try answer("Process: it works\n").status == 3)
    }

    @Test("a Swift backtrace without images or addresses names the setting that adds them")
    func swift() throws {
        let start = "*** Program crashed: Illegal instruction at 0x0000000000401000 ***\n"
        let bare = "\nThread 0 crashed:\n\n0 0x0000000000401000\n\nBacktrace took 0.01s\n"
        let friendly =
            "\nThread 0 crashed:\n\n0 eat() + 4 in orchard at /a/b.swift:3:5\n\n"
            + "Backtrace took 0.01s\n"
        for (text, setting) in [(bare, "images=all"), (friendly, "preset=full")] {
            let run = try answer(start + text)
            #expect(run.status == 0)
            #expect(run.problems.count == 1)
            #expect(run.problems.first?.contains("SWIFT_BACKTRACE=\(setting)") == true)
            #expect(try answer(start + text, "--quiet").problems == [])
        }
    }

    @Test("an image without a UUID and an unused --uuid are reported")
    func identities() throws {
        let text = "Thread 0:\n0   Kit  0x0000000105b44170 0x105b40000 + 16752\n"
        #expect(
            try answer(text).problems.first?.hasSuffix(
                "has no UUID for 'Kit': set it with --uuid 'Kit=UUID'") == true)
        #expect(
            try answer(text, "--uuid", "Ki=\(Orchard.kitID)").problems.contains(
                "--uuid Ki: no image without a UUID has this name: use 'Kit'"))
        let run = try answer(text, "--uuid", "Kit=\(Orchard.kitID)")
        #expect(run.text.contains("hash_row"))
        #expect(run.problems == [])
    }

    @Test("a message names the limit and the position where it was reached")
    func depth() throws {
        let run = try answer(
            "{\"usedImages\":[],\"threads\":" + String(repeating: "[", count: 1 << 17))
        #expect(
            run.problems.contains { $0.contains("json+0x1001a: nests deeper than 65536 levels") })
    }

    @Test("a jetsam report lacks nothing, because it has no stacks")
    func jetsam() throws {
        let run = try answer(
            """
            {"bug_type":"298","os_version":"iPhone OS 18.1 (22B83)"}
            {"largestProcess":"Press","memoryStatus":{"pageSize":16384},"processes":[
            {"name":"Orchard","pid":5,"rpages":100000,"reason":"per-process-limit"}]}

            """)
        #expect(run.status == 0)
        #expect(run.problems == [])
        #expect(
            run.text == """
                per-process-limit
                Termination:  per-process-limit
                Explanation:  largest process: Orchard [5], 1.5 GiB (100000 pages)
                Measured:     1.5 GiB (100000 pages)
                Process:      Orchard
                System:       iPhone OS 18.1 (22B83)

                """)
    }
}
