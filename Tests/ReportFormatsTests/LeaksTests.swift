import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFormats
import Testing

@Suite("Output of leaks and malloc_history")
struct LeaksTests {
    private static let head = """
        Process:         Orchard [431]
        Path:            /Applications/Orchard.app/Contents/MacOS/Orchard
        Load Address:    0x104a2c000
        Identifier:      com.example.orchard
        Version:         1.4.0 (120)
        Code Type:       ARM64
        Platform:        macOS

        OS Version:      macOS 26.1 (25B78)
        Report Version:  7
        Analysis Tool:   /usr/bin/leaks
        ----

        """

    private static let images = """

        Binary Images:
               0x104a2c000 -        0x104a3bfff +com.example.orchard (1.4.0 - 120) \
        <4C4C4481-5555-3144-A199-BFCEAE3FE729> /Applications/Orchard.app/Contents/MacOS/Orchard
               0x18b0e9000 -        0x18b17e21f  dyld (1378)              \
        <4F506172-8394-3A5B-87D8-E9F001122334>      /usr/lib/dyld

        """

    private func report(_ stacks: String, images: String = Self.images) -> String {
        Self.head + """

            leaks Report Version: 4.0, multi-line stacks
            Process 431: 577 nodes malloced for 213 KB
            Process 431: 3 leaks for 768 total leaked bytes.

            \(stacks)

            """ + images
    }

    private let rows = """
        STACK OF 3 INSTANCES OF 'ROOT LEAK: <malloc in rebuildIndex(rows:)>':
        3   dyld                                  0x18b0ef154 start + 6076
        2   com.example.orchard                   0x104a30674 0x104a2c000 + 18036
        1   com.example.orchard                   0x104a30210 0x104a2c000 + 16912
        0   libsystem_malloc.dylib                0x1879f71fc _malloc_zone_malloc + 152 
        ====
            3 (768 bytes) << TOTAL >>
              1 (256 bytes) ROOT LEAK: 0x7fec8b4025d0 [256]  length: 12  "Gala, Elstar"
              1 (256 bytes) ROOT LEAK: 0x7fec8b402700 [256]
        """

    private func first(_ text: String) throws -> CrashReport {
        let file = CrashFileReader().read(Array(text.utf8))
        #expect(file.reports.count == 1)
        return try #require(file.reports.first)
    }

    @Test("a stack is read innermost first, under the name of its leak")
    func stacks() throws {
        let report = try first(report(rows))
        let diagnostic = report.resolved()
        let stack = try #require(diagnostic.tree.stacks.first)
        #expect(report.format == .leaks)
        #expect(report.label == "Orchard")
        #expect(stack.role == .allocation)
        #expect(stack.name == "ROOT LEAK: <malloc in rebuildIndex(rows:)>, 3 instances")
        #expect(diagnostic.tree.frames.map(\.site?.offset.rawValue) == [nil, 16912, 18036, 24916])
        #expect(diagnostic.tree.reportedFunctions[0]?.first?.name == "_malloc_zone_malloc")
        #expect(diagnostic.details.runtimeMessage == "3 leaks for 768 total leaked bytes")
        #expect(diagnostic.details.bundleIdentifier == "com.example.orchard")
    }

    @Test("every frame of an allocation is a return address")
    func returnAddresses() throws {
        let frames = try first(report(rows)).resolved().tree.frames
        #expect(
            frames.dropFirst().allSatisfy {
                $0.site.map { $0.lookupOffset.rawValue + 1 == $0.offset.rawValue } ?? false
            })
    }

    @Test("the lines about leaked blocks are kept as details, not read as frames")
    func listing() throws {
        let diagnostic = try first(report(rows)).resolved()
        let lines = diagnostic.details.sections.flatMap(\.lines)
        #expect(lines.contains { $0.contains("0x7fec8b402700 [256]") })
        #expect(diagnostic.tree.frames.count == 4)
    }

    @Test("inlined calls are lines below their function, and the innermost frame is number 0")
    func rewrittenRows() async {
        let symbolicated = await SymbolicatedFile(report(rows))
        #expect(
            symbolicated.text.contains(
                """
                5   dyld                                  0x18b0ef154 start + 6076
                4   com.example.orchard                   0x104a30674 main + 28  OrchardApp.swift:0
                3   com.example.orchard                   0x104a30674 static OrchardApp.$main() + 20  \
                <compiler-generated>:0 [inlined]
                2   com.example.orchard                   0x104a30674 static OrchardApp.main() + 20  \
                OrchardApp.swift:8 [inlined]
                1   com.example.orchard                   0x104a30210 rebuildIndex(rows:) + 12  Kit.swift:61
                0   libsystem_malloc.dylib                0x1879f71fc _malloc_zone_malloc + 152 

                """))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("a function of the report keeps its file and line")
    func sourceLine() throws {
        let report = try first(
            report(
                """
                STACK OF 1 INSTANCE OF 'ROOT CYCLE: <Cart>':
                0   Shop                                  0x2000 operator new(unsigned long) + 32  cart.cpp:5
                """))
        let function = try #require(report.resolved().tree.reportedFunctions[0]?.first)
        #expect(function.name == "operator new(unsigned long)")
        #expect(function.distance == 32)
        #expect(function.file?.name == "cart.cpp")
        #expect(function.line == 5)
    }

    @Test("without a list of images, frames and header state where an image was loaded")
    func noImages() throws {
        let diagnostic = try first(report(rows, images: "")).resolved()
        #expect(diagnostic.tree.frames.map(\.site?.offset.rawValue) == [nil, 16912, 18036, nil])
        #expect(diagnostic.remarks.contains(.noImageList))
        #expect(diagnostic.images.first?.name == "Orchard")
    }

    @Test(
        "a stack on one line is symbolicated in place",
        arguments: [
            (
                "\tCall stack: [thread 0x7fff70126be0]: | start | 0x104a30210 | malloc ",
                "| start | 0x104a30210 (com.example.orchard) rebuildIndex(rows:) Kit.swift:61 | malloc "
            ),
            (
                "ALLOC 0x9fd56f0-0x9fd5898 [size=425]: thread_4925a28 |0x18b0ef154 (dyld) start | "
                    + "0x104a30674 (Orchard) 0x104a2c000 + 18036",
                "|0x18b0ef154 (dyld) start | 0x104a30674 (Orchard) main OrchardApp.swift:0 | "
                    + "0x104a30674 (Orchard) static OrchardApp.$main() <compiler-generated>:0 [inlined] | "
                    + "0x104a30674 (Orchard) static OrchardApp.main() OrchardApp.swift:8 [inlined]"
            ),
            (
                "2 calls for 1003520 bytes: thread_700005856000 | 0x104a30210 (Orchard) ???",
                "| 0x104a30210 (Orchard) rebuildIndex(rows:) Kit.swift:61"
            ),
        ])
    func chain(line: String, expected: String) async throws {
        let text = report("Leak: 0x9fd56f0  size=425  zone: Default_0x1\tstring 'Gala'\n" + line)
        let symbolicated = await SymbolicatedFile(text)
        #expect(symbolicated.text.contains(expected))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("the stack of a leak on one line is named after the line before")
    func chainName() throws {
        let report = try first(
            report(
                """
                Leak: 0x9fd56f0  size=48  zone: DefaultMallocZone_0x1\tstring 'Gala'
                \tCall stack: [thread 0x7f]: | start | 0x104a30210
                """))
        let stacks = report.resolved().tree.stacks
        #expect(stacks.map(\.name) == ["Leak: 0x9fd56f0  size=48"])
        #expect(stacks.map(\.frames) == [0..<2])
    }

    @Test("a list of leaks without stacks is named as such")
    func noStacks() throws {
        let file = CrashFileReader().read(
            Array(report("    1 (44.0K) ROOT LEAK: 0x10f3b5000 [45056]").utf8))
        #expect(file.reports.isEmpty)
        let problem = try #require(file.unread.first?.problem)
        #expect(
            String(describing: problem)
                == "leaks: lists leaks, but has no stacks: "
                + "run the program with MallocStackLogging=1")
    }

    @Test("a file may contain several outputs")
    func several() {
        let file = CrashFileReader().read(Array((report(rows) + report(rows)).utf8))
        #expect(file.reports.map(\.format) == [.leaks, .leaks])
        #expect(file.reports.map { $0.resolved().tree.frames.count } == [4, 4])
    }

    @Test("an excerpt without a header is read")
    func excerpt() throws {
        let report = try first(rows)
        #expect(report.format == .leaks)
        #expect(report.resolved().tree.frames.count == 4)
    }

    @Test("a report truncated at any byte is read without a trap", arguments: 0..<64)
    func cut(part: Int) async {
        let bytes = Array(report(rows).utf8)
        let cut = Array(bytes[..<(bytes.count * part / 64)])
        let file = await SymbolicatedFile(cut)
        #expect(file.file.reports.count <= 1)
    }
}
