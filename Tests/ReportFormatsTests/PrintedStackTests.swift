import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Stacks that libraries and Valgrind print from inside a program.
@Suite("Stacks printed by Valgrind, Boost, glog and Abseil")
struct PrintedStackTests {
    private func reports(_ text: String) -> [CrashReport] {
        CrashFileReader().read(Array(text.utf8)).reports
    }

    private func report(_ fixture: String) throws -> CrashReport {
        let file = CrashFileReader().read(try LinuxStackReadingTests.fixture(fixture))
        return try #require(file.reports.first)
    }

    private func written(_ text: String) -> String {
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: text.utf8.count)
        for report in reports(text) {
            let diagnostic = report.resolved()
            let found = diagnostic.tree.frames.indices.map { index in
                let inlined = FoundFunction(name: "tapped", line: 19, isInlined: true)
                let owner = FoundFunction(name: "serve(Cask*)", distance: 18, line: 38)
                return (index, [inlined, owner])
            }
            edits += report.edits(
                with: diagnostic.symbolicated(Dictionary(uniqueKeysWithValues: found)),
                budget: &budget)
        }
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test("each error of Valgrind is a report with its message, and the stacks of its block")
    func valgrind() throws {
        let file = CrashFileReader().read(try LinuxStackReadingTests.fixture("valgrind.txt"))
        let details = file.diagnostics.map(\.details)
        #expect(
            details.map(\.runtimeMessage) == [
                "Invalid read of size 4", "Invalid read of size 4",
                "Process terminating with default action of signal 11 (SIGSEGV)",
            ])
        #expect(details.map(\.signal) == [nil, nil, 11])
        try #require(file.diagnostics.count == 3)
        #expect(
            file.diagnostics[0].tree.stacks.map(\.name) == [
                nil, "Address 0x4d6fc80 is 0 bytes inside a block of size 4 free'd",
                "Block was alloc'd at",
            ])
        #expect(file.diagnostics[0].tree.stacks.map(\.isAttributed) == [true, false, false])
    }

    @Test("Valgrind loads a program at a known address, and has moved return addresses back")
    func valgrindAddresses() throws {
        let tree = try report("valgrind.txt").resolved().tree
        #expect(
            tree.frames.prefix(2).map(\.site) == [
                .programCounter(ImageOffset(0x127c)), .adjusted(ImageOffset(0x143d)),
            ])
        #expect(tree.frames.prefix(2).map(\.imageName) == ["cellar", "cellar"])
        #expect(tree.reportedFunctions[2]?.first?.name == "(below main)")
        #expect(tree.reportedFunctions[2]?.first?.line == 58)
        // Where a library is loaded is unknown.
        #expect(tree.frames[3].imageName == "vgpreload_memcheck-amd64-linux.so")
        #expect(tree.frames[3].site == nil)
    }

    @Test("Valgrind's lines may start with the time")
    func valgrindTime() throws {
        let text = """
            ==00:00:00:02.056 28112== Invalid write of size 4
            ==00:00:00:02.056 28112==    at 0x109182: ??? (in /src/cellar)

            """
        let tree = try #require(reports(text).first).resolved().tree
        #expect(tree.frames.map(\.site) == [.programCounter(ImageOffset(0x1182))])
    }

    @Test(
        "addresses are those in the file of a program with a fixed address, and no others",
        arguments: [
            " 0# 0x0000000000401343 in ./cellar\n",
            "==7==    at 0x401343: ??? (in /src/cellar)\n",
        ])
    func fixedAddress(line: String) throws {
        var report = try #require(reports(line).first)
        #expect(report.resolved().tree.frames.map(\.site) == [nil])
        let id = try #require(ImageID("2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c"))
        report.identify(unchecked: [try #require(report.images.first): id])
        func sites(linkedTo base: UInt64) -> [UInt64?] {
            let placement = ImagePlacement(base: LinkAddress(base), segments: [])
            return report.resolved(placementOf: { _ in placement }).tree.frames.map {
                $0.site?.offset.rawValue
            }
        }
        #expect(sites(linkedTo: 0x40_0000) == [0x1343])
        #expect(sites(linkedTo: 0) == [nil])
    }

    @Test(
        "functions are written in the forms of the programs, and no more the second time",
        arguments: [
            (
                "==7==    at 0x109182: ??? (in /src/cellar)\n",
                """
                ==7==    at 0x109182: tapped (/src/Orchard.swift:19)
                ==7==    at 0x109182: serve(Cask*) (/src/Orchard.swift:38)

                """
            ),
            (
                " 9# 0x0000000000401343 in ./cellar\n10# main in ./cellar\n",
                """
                 9# 0x0000000000401343 tapped (/src/Orchard.swift:19) [inlined] in ./cellar
                10# 0x0000000000401343 serve(Cask*) + 18 (/src/Orchard.swift:38) in ./cellar
                11# main in ./cellar

                """
            ),
            (
                "    @     0x559ffbe37189 (unknown)\n    @     0x559ffbe371b9 main\n",
                "    @     0x559ffbe37189 (unknown)\n    @     0x559ffbe371b9 main\n"
            ),
        ])
    func same(text: String, expected: String) throws {
        let once = written(text)
        #expect(once == expected)
        #expect(written(once) == once)
        let counts = [text, once].map { reports($0).first?.resolved().tree.frames.count }
        #expect(counts[0] != nil && counts[0] == counts[1])
    }

    @Test(
        "truncated frames have no parts of modules as functions",
        arguments: [
            "==7==    at :", "==7==    at 0x109182:", "==7==    at 0x109182: ",
            "==7==    at 0x109182: ?? ", "==7==    at 0x109182: ??? (in /src/ce",
            " 0# 0x", " 0# 0x00000000004", " 0# 0x0000000000401343 i", " 0# ",
            "    @     0x559f", "PC: @ ", "    @ ",
        ])
    func truncated(line: String) {
        let whole = "==7==    by 0x109146: main (Cellar.cpp:114)\n"
        let functions = reports(whole + line).flatMap {
            $0.resolved().tree.reportedFunctions.values.joined().map(\.name)
        }
        #expect(functions == ["main"])
    }

    @Test("frames of Boost may have functions, with a source line or a module")
    func boost() throws {
        let text = """
             0# cellar::print() at /src/Cellar.cpp:75
             1# main in ./cellar
             2# 0x00007FDBC9C4524A in /lib/x86_64-linux-gnu/libc.so.6

            """
        let tree = try #require(reports(text).first).resolved().tree
        #expect(tree.reportedFunctions[0]?.map(\.name) == ["cellar::print()"])
        #expect(tree.reportedFunctions[0]?.first?.line == 75)
        #expect(tree.reportedFunctions[1]?.map(\.name) == ["main"])
        #expect(tree.frames.map(\.imageName) == [nil, "cellar", "libc.so.6"])
        #expect(tree.reportedFunctions[2] == nil)
    }

    @Test("stacks of glog have the signal or the failed check")
    func glog() throws {
        let file = CrashFileReader().read(try LinuxStackReadingTests.fixture("glog.txt"))
        try #require(file.diagnostics.count == 2)
        #expect(file.diagnostics[0].details.signal == 11)
        #expect(
            file.diagnostics[1].details.runtimeMessage
                == "Check failed: litres == 40 (3 vs. 40) cask is empty")
        let functions = file.diagnostics[1].tree.reportedFunctions
        #expect(functions[4]?.map(\.name) == ["cellar::check()"])
        #expect(functions[6] == nil)
    }

    @Test("stacks of Abseil start with the program counter, and have the sizes of frames")
    func abseil() throws {
        let text = """
            *** SIGSEGV received at time=1795546102 on cpu 1 ***
            PC: @           0x401136  (unknown)  cellar::pour()
                @           0x401150        128  cellar::serve()
                @     0x7f2834a4524a  (unknown)  (unknown)
                @ ... and at least 3 more frames

            """
        let report = try #require(reports(text).first)
        let tree = report.resolved().tree
        #expect(report.resolved().details.signal == 11)
        #expect(tree.frames.map(\.address?.rawValue) == [0x401136, 0x401150, 0x7f28_34a4_524a])
        #expect(
            (0..<3).map { tree.reportedFunctions[$0]?.first?.name } == [
                "cellar::pour()", "cellar::serve()", nil,
            ])
        #expect(report.range.upperBound == text.utf8.count - 1)
    }
}
