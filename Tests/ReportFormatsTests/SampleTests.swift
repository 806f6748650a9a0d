import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import Testing

@Suite("Output of sample")
struct SampleTests {
    private func text(_ graph: String) -> String {
        """
        Analysis of sampling Orchard (pid 431) every 1 millisecond
        Process:         Orchard [431]
        Code Type:       ARM64
        ----

        Call graph:
            9 Thread_1798804   DispatchQueue_1: com.apple.main-thread  (serial)
        \(graph)

        Total number in stack (recursive counted multiple, when >=5):

        Sort by top of stack, same collapsed (when >= 5):
                mach_msg2_trap  (in libsystem_kernel.dylib)        30

        Binary Images:
               0x104a2c000 -        0x104a3bfff +com.example.orchard (1.4.0 - 120) \
        <4C4C4481-5555-3144-A199-BFCEAE3FE729> /Applications/Orchard.app/Contents/MacOS/Orchard
               0x105b40000 -        0x105b4bfff +Orchard (Press) (1.4.0 - 120) \
        <4C4C44E3-5555-3144-A103-3964DAADDC31> /Applications/Orchard.app/Orchard (Press)

        """
    }

    private func tree(_ graph: String) throws -> CallStackTree {
        let file = CrashFileReader().read(Array(text(graph).utf8))
        return try #require(file.reports.first).resolved().tree
    }

    @Test("frames of a thread past the limit belong to no other thread")
    func manyThreads() throws {
        var limits = PayloadLimits()
        limits.stacksPerTree = 2
        let row = "9 start  (in Orchard (Press)) + 4  [0x105b440b0]"
        let graph = """
                + \(row)
                9 Thread_17
                + \(row)
                9 Thread_18
                + \(row)
                +   \(row)
            """
        let file = CrashFileReader(limits: limits).read(Array(text(graph).utf8))
        let tree = try #require(file.reports.first).resolved().tree
        #expect(tree.stacks.map(\.frames) == [0..<1, 1..<2])
        #expect(tree.frames.count == 2)
        #expect(tree.remarks.contains(.frameLimit))
    }

    @Test("fixed blanks around a function are kept")
    func fixedBlanks() throws {
        let row = "\u{a0}\u{a0}\u{a0} + 9\u{a0}start  (in Orchard (Press)) + 4  [0x105b440b0]"
        let text = text(row + "\n    +   9 start  (in Orchard (Press)) + 4  [0x105b440b4]")
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        let diagnostic = report.resolved()
        try #require(diagnostic.tree.frames.count == 2)
        let result = diagnostic.symbolicated([
            0: [
                FoundFunction(name: "press"), FoundFunction(name: "call", line: 3, isInlined: true),
            ]
        ])
        let written = String(
            decoding: report.edits(with: result).applied(to: Array(text.utf8)), as: UTF8.self)
        #expect(written.contains("\n\u{a0}\u{a0}\u{a0} + 9\u{a0}press  (in"))
        #expect(written.contains("\n    +     9 start"))
    }

    @Test(
        "threads have names",
        arguments: [
            ("Thread_17: Press   DispatchQueue_7: orchard  (serial)", "Press"),
            ("Thread_17: Press   DispatchQueue_<multiple>", "Press"),
            ("Thread_17   DispatchQueue_7: orchard  (serial)", "orchard"),
            ("Thread_17: Press", "Press"), ("Thread_17", nil),
        ] as [(String, String?)])
    func threadName(head: String, name: String?) throws {
        let tree = try tree(
            "    9 \(head)\n    + 9 start  (in Orchard (Press)) + 4  [0x105b440b0]")
        #expect(tree.stacks.last?.name == name)
    }

    @Test("names with parentheses, lines without offsets and lines with several addresses are read")
    func oddLines() throws {
        let tree = try tree(
            """
                + 9 operator()(int) const  (in Orchard (Press)) + 4,8,...  [0x105b440b0,0x105b440b4,...]
                +   5 ???  (in Orchard (Press))  [0x105b441c4]
                +   4 ???  (in <unknown binary>)  [0x7fff00000000]
            """)
        #expect(
            tree.frames.map(\.imageName) == [
                "Orchard (Press)", "Orchard (Press)", "<unknown binary>",
            ])
        #expect(tree.frames.map { $0.site?.offset.rawValue } == [16560, 16836, nil])
        #expect(tree.reportedFunctions[0]?.map(\.name) == ["operator()(int) const"])
        #expect(tree.reportedFunctions[0]?.first?.distance == 4)
        #expect(tree.frames.map(\.parent) == [nil, 0, 0])
    }

    @Test("each thread has a stack")
    func threads() throws {
        let tree = try tree(
            """
                + 9 ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]
                4 Thread_1798805: Press
                + 4 ???  (in Orchard)  load address 0x104a2c000 + 0x40ac  [0x104a300ac]
                2 Thread_1798806
                  2 ???  (in Orchard)  load address 0x104a2c000 + 0x40ac  [0x104a300ac]
            """)
        #expect(tree.stacks.map(\.name) == ["com.apple.main-thread", "Press", nil])
        #expect(tree.stacks.map(\.frames) == [0..<1, 1..<2, 2..<3])
    }

    @Test("rulers stay below the line that they belong to")
    func rulers() async {
        let graph = """
                + 9 ???  (in Orchard)  load address 0x104a2c000 + 0x4674  [0x104a30674]
                + ! 5 ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]
                + 4 ???  (in Orchard)  load address 0x104a2c000 + 0x40ac  [0x104a300ac]
            """
        let symbolicated = await SymbolicatedFile(text(graph))
        #expect(
            symbolicated.text.contains(
                """
                    + 9 main  (in Orchard) + 28  [0x104a30674]  OrchardApp.swift:0
                    +   9 static OrchardApp.$main()  (in Orchard) + 20  [0x104a30674]  \
                <compiler-generated>:0 [inlined]
                    +     9 static OrchardApp.main()  (in Orchard) + 20  [0x104a30674]  \
                OrchardApp.swift:8 [inlined]
                    +     ! 5 rebuildIndex(rows:)  (in Orchard) + 12  [0x104a30210]  Kit.swift:61
                    + 4 buttonTapped(_:)  (in Orchard) + 168  [0x104a300ac]  Buttons.swift:16

                """))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("a file may contain several outputs")
    func several() {
        let one = text(
            "    + 9 ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]")
        let reports = CrashFileReader().read(Array((one + one).utf8)).reports
        #expect(reports.map(\.format) == [.sample, .sample])
        #expect(reports.map { $0.resolved().tree.frames.count } == [1, 1])
    }

    private let excerpt = """
        It hangs here:
            9 Thread_17: Press
            + 9 ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]

        and then here:
            +   4 ???  (in Orchard)  load address 0x104a2c000 + 0x40ac  [0x104a300ac]
        """

    @Test("an excerpt without its heading is read")
    func excerptWithoutHead() throws {
        let file = CrashFileReader().read(Array(excerpt.utf8))
        let report = try #require(file.reports.first)
        #expect(report.format == .sample)
        let tree = report.resolved().tree
        #expect(tree.stacks.first?.name == "Press")
        #expect(tree.frames.map(\.imageName) == ["Orchard", "Orchard"])
    }

    @Test("a call tree of malloc_history counts allocations, and keeps their sizes")
    func allocations() async throws {
        let graph = """
            Process:         Orchard [431]
            Code Type:       ARM64
            Analysis Tool:   /usr/bin/malloc_history
            ----

            Call graph:
                76 (13.0M) << TOTAL >>
                  57 (7.82M) Thread_ec1f13c1
                  + 56 (416 bytes) ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]

            Binary Images:
                   0x104a2c000 -        0x104a3bfff +com.example.orchard (1.4.0 - 120) \
            <4C4C4481-5555-3144-A199-BFCEAE3FE729> /Applications/Orchard.app/Contents/MacOS/Orchard

            """
        let symbolicated = await SymbolicatedFile(graph)
        #expect(symbolicated.frames.map(\.samples) == [56])
        #expect(
            symbolicated.text.contains(
                "      + 56 (416 bytes) rebuildIndex(rows:)  (in Orchard) + 12  [0x104a30210]  Kit.swift:61\n"
            ))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }
}
