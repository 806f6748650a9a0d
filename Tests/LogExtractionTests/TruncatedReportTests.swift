import CallStacks
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

@Suite("Truncated reports")
struct TruncatedReportTests {
    private static let files = [
        "divide-by-zero.report.ips", "objc-block.report.ips", "objc-block.legacy.crash",
    ]

    /// A frame by its position in the report.
    private struct Position: Hashable {
        var stack: String
        var depth: Int
    }

    /// The functions from symbols, by the positions of their frames.
    private func functions(_ result: SymbolicatedDiagnostic) -> [Position: [String?]] {
        var found: [Position: [String?]] = [:]
        for stack in result.stacks {
            let rows = result.frames[stack.frames.clamped(to: result.frames.indices)]
            let first = rows.first?.physical ?? 0
            for row in rows where row.status.isResolved {
                let position = Position(
                    stack: "\(stack.role) \(stack.index)", depth: row.physical - first)
                found[position, default: []].append(row.function)
            }
        }
        return found
    }

    @Test(
        "a report truncated at any byte keeps the frames before its end, and has no wrong function",
        arguments: files)
    func everywhere(name: String) async throws {
        let whole = try OrchardSymbols.fixture(name)
        let expected = functions(try #require(await result(whole)))
        let process = try #require(
            whole.text.firstRange(of: "\"app_name\": \"Orchard\"")
                ?? whole.text.firstRange(of: "Process:             Orchard [")
        ).upperBound
        let known = whole.text.utf8.distance(from: whole.text.startIndex, to: process)
        var resolved = 0
        for number in 0..<70 {
            let end = whole.count * number / 70
            guard let result = await result(Array(whole[..<end])) else {
                #expect(end < known + 100, "\(name) cut at \(end)")
                continue
            }
            if end > known + 100 { #expect(result.details.processName == "Orchard") }
            for (position, functions) in functions(result) {
                #expect(functions == expected[position], "\(name) cut at \(end), \(position)")
                resolved += 1
            }
        }
        #expect(resolved > expected.count)
    }

    private func result(_ bytes: [UInt8]) async -> SymbolicatedDiagnostic? {
        await OrchardSymbols.results(CrashFileReader().read(bytes)).first
    }

    private static let header =
        #"{"app_name":"Orchard","bug_type":"309","app_version":"1.4","#
        + #""slice_uuid":"4c4c4481-5555-3144-a199-bfceae3fe729","name":"Orchard"}"#

    @Test(
        "a header without threads has the app and the identity of its executable",
        arguments: [
            header, header + "\n", header + "\n{", header + "\n{\n \"uptime\" : 70",
            String(header.dropLast(12)),
        ])
    func headerAlone(text: String) throws {
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.map(\.format) == [.ips])
        let diagnostic = try #require(file.diagnostics.first)
        #expect(diagnostic.details.processName == "Orchard")
        #expect(diagnostic.details.appVersion == "1.4")
        #expect(diagnostic.remarks == [.jsonTruncated, .noImageList])
        #expect(
            diagnostic.images
                == [
                    ListedImage(
                        id: ImageID("4c4c4481-5555-3144-a199-bfceae3fe729"), name: "Orchard")
                ])
    }

    @Test("a truncated report of a kind without stacks is still named")
    func jetsam() {
        let file = CrashFileReader().read(bytes(#"{"app_name":"x","bug_type":"298"}"#))
        #expect(file.reports.isEmpty)
        #expect(file.unread.first?.problem.description.contains("jetsam") == true)
    }

    @Test("a body without a header is recognised by the keys that bodies begin with")
    func bodyAlone() throws {
        let file = CrashFileReader().read(
            bytes(#"{"uptime":70,"procRole":"Foreground","procName":"Orchard","cpuT"#))
        #expect(file.diagnostics.map(\.details.processName) == ["Orchard"])
        #expect(CrashFileReader().read(bytes(#"{"procName":"Orchard","cpuT"#)).reports.isEmpty)
    }

    @Test(
        "a truncated image list contains no image whose address may lack digits",
        arguments: [
            #""uuid":"4c4c4481-5555-3144-a199-bfceae3fe729","size":8192,"base":40"#,
            #""uuid":"4c4c4481-5555-3144-a199-bfceae3fe729","base":4096,"size":81"#,
        ])
    func cutImage(image: String) throws {
        let body =
            #"{"threads":[{"frames":[{"imageIndex":1,"imageOffset":4112},"#
            + #"{"imageIndex":0,"imageOffset":16}]}],"#
            + #""usedImages":[{"base":0,"size":0,"source":"A"},{\#(image)"#
        let tree = try #require(CrashFileReader().read(bytes(body)).diagnostics.first).tree
        #expect(tree.frames.map(\.image) == [ImageID("4c4c448155553144a199bfceae3fe729"), nil])
        #expect(tree.frames.map(\.loadAddress) == [nil, nil])
    }

    @Test(
        "a truncated KSCrash report has the app, and no frame in an image whose address may lack digits"
    )
    func ksCrash() throws {
        let start =
            #"{"report":{"id":"1","process_name":"Orchard"},"crash":{"threads":[{"backtrace":"#
            + #"{"contents":[{"instruction_addr":4112}]}}]},"binary_images":[{"image_addr":40"#
        let whole = try #require(CrashFileReader().read(bytes(start)).diagnostics.first)
        #expect(whole.tree.frames.map(\.site) == [nil])
        let cut = try #require(start.firstRange(of: ",\"crash\""))
        let head = CrashFileReader().read(bytes(String(start[..<cut.lowerBound])))
        #expect(head.diagnostics.map(\.details.processName) == ["Orchard"])
        #expect(head.diagnostics.map(\.remarks) == [[.jsonTruncated, .noImageList]])
    }

    @Test("a truncated text report is marked, and no address that may lack digits is read")
    func text() throws {
        let head = "Incident Identifier: 1\nProcess: Orchard [1]\nPath: /A/Orchard\n"
        let cut = CrashFileReader().read(bytes(head)).diagnostics
        #expect(cut.map(\.remarks) == [[.textTruncated]])
        #expect(cut.map(\.details.processName) == ["Orchard"])
        let frames = "\nThread 0:\n0 Orchard 0x1010 0x1000 + 16\n1 Orchard 0x10"
        let list = CrashFileReader().read(bytes(head + frames)).diagnostics
        #expect(list.map(\.remarks) == [[.noImageList, .textTruncated]])
        #expect(list.map(\.tree.frames.count) == [1])
        #expect(CrashFileReader().read(bytes("Process: it works\n")).reports.isEmpty)
    }

    private static let frames = "Thread 0 Crashed:\n0   Orchard  0x1010 0x1000 + 16\n"
    private static let images =
        "\nBinary Images:\n 0x1000 - 0x1fff Orchard arm64  "
        + "<4c4c448155553144a199bfceae3fe729> /A/Orchard\n"
    private static let tree = """
        Data Source:      Stackshots
        Command:          Orchard
        Event:            hang

        Heaviest stack for the main thread of the target process:
          9  ??? (Orchard + 16) [0x1010]

        Process:          Orchard [1]
        UUID:             4C4C4481-5555-3144-A199-BFCEAE3FE729
        """
    private static let thread =
        "\n\n  Thread 0x1    9 samples (1-9)\n  9  ??? (Orchard + 16) [0x1010] 1-9\n"
    private static let graph = """
        Analysis of sampling Orchard (pid 1) every 1 millisecond
        Process:         Orchard [1]
        Call graph:
            9 Thread_1
            + 9 ???  (in Orchard)  load address 0x1000 + 0x10  [0x1010]

        """

    private func remarks(_ text: String) -> [[Remark]] {
        CrashFileReader().read(bytes(text)).diagnostics.map { $0.remarks + $0.tree.remarks }
    }

    @Test(
        "a text report that ends inside a frame, a node, an image or before its images is marked",
        arguments: [
            frames + "1", frames + "1   Orch", frames + "1   Orchard  0x10",
            frames + "1   Orchard  0x1010 0x1000", frames + "1   Orchard  0x1010 0x1000 +",
            "Thread 0 Crashed:\n0   Orchard  0x1010 0x1000 + 16\n\nThread 1:\n0   Orc",
            frames + "\nBinary Images:", frames + "\nBinary Images:\n",
            frames + "\nBinary Images:\n 0x1000", frames + images + " 0x2000 - 0x2fff libA",
            frames + images + " 0x2000 - 0x2fff libA arm64  <4c4c448155553144a199bfceae3fe729>",
            tree, tree + "\nArc", tree + thread + "    9  ??? (Orch", tree + thread + "    9",
            tree + thread + "\n  Binary Images:\n", tree + thread + images + "   0x2000 - ",
            graph + "    +", graph + "    +   9 ???  (in Orch", graph + "\nBinary Images:\n",
            graph + images + "   0x20",
        ])
    func textEnd(text: String) {
        #expect(remarks(text).map { $0.contains(.textTruncated) } == [true])
    }

    @Test(
        "complete reports and excerpts are not marked, though they lack the last line break",
        arguments: [
            frames, frames + "1   Orchard  0x1014 0x1000 + 20", frames + "1   Orchard  0x1014 main",
            frames + "\nBinary Images:\n\nEOF\n", frames + images, frames + images + "\nEOF",
            frames + images + " 0x2000 - 0x2fff libA arm64 "
                + " <4c4c448155553144a199bfceae3fe729> /A/libA",
            frames + "12 users saw this", frames + images + "and that was all",
            tree + thread, tree + thread + "    9  ??? (Orchard + 20) [0x1014] 1-9",
            tree + thread + images, tree + "\n", graph, graph + "    9 Thread_2: saw this\n",
            graph + "    +   9 ???  (in Orchard)  load address 0x1000 + 0x14  [0x1014]",
            graph + images, graph + "12 users saw this",
        ])
    func completeText(text: String) {
        #expect(remarks(text).map { $0.contains(.textTruncated) } == [false])
    }
}
