import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import TestSupport
import Testing

@testable import ReportFormats

/// Reports that the programs of `Fixtures/Sources/Linux` really printed, and the formats of tools
/// that may be missing where tests run.
@Suite("Stacks in texts of Linux")
struct LinuxStackReadingTests {
    private static let folder = projectFolder.appendingPathComponent("Fixtures/Stacks")

    static func fixture(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    private static let names = [
        "address.txt", "address.symbolicated.txt", "leak.txt", "undefined.txt", "thread.txt",
        "thread.symbolicated.txt", "backtrace-symbols.txt", "backtrace-symbols.fixed.txt",
        "gdb.txt", "perf.txt", "rust.txt", "rust.full.txt", "valgrind.txt", "boost.txt",
        "glog.txt", "go.txt",
    ]

    private func diagnostic(_ text: String) throws -> Diagnostic {
        let file = CrashFileReader().read(Array(text.utf8))
        return try #require(file.reports.first).resolved()
    }

    /// The number of frames in each stack, with the format.
    private func shape(_ name: String) throws -> String {
        let file = CrashFileReader().read(try Self.fixture(name))
        let stacks = file.reports.flatMap { $0.resolved().tree.stacks.map(\.frames.count) }
        return "\(file.reports.first?.format.rawValue ?? "none") \(stacks)"
    }

    @Test("all stacks of a report are read, each with its frames")
    func shapes() throws {
        #expect(try shape("address.txt") == "sanitizer [6, 5, 5]")
        #expect(try shape("address.symbolicated.txt") == "sanitizer [6, 5, 5]")
        #expect(try shape("leak.txt") == "sanitizer [5]")
        #expect(try shape("undefined.txt") == "sanitizer [5]")
        #expect(try shape("thread.txt") == "sanitizer [4, 3, 4]")
        #expect(try shape("backtrace-symbols.txt") == "glibc_backtrace [8]")
        #expect(try shape("gdb.txt") == "gdb [5]")
        #expect(try shape("perf.txt").hasPrefix("perf_script [1, 1"))
        #expect(try shape("rust.txt") == "rust_panic [6]")
        #expect(try shape("valgrind.txt") == "valgrind [3, 5, 5, 3, 3]")
        #expect(try shape("boost.txt") == "boost_stacktrace [8]")
        #expect(try shape("glog.txt") == "glog [8, 9]")
    }

    @Test("the bytes around a function are kept, such as entities and fixed blanks")
    func keptBytes() throws {
        let id = "655d9b13428f96cecaf7cb0b4bfc90f410d1d223"
        let tail = "(/app/R&amp;D's/pie.so+0x1143)\u{a0}(BuildId: \(id))"
        let text = """
            ==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x11 bp 0x7f
            READ of size 4 at 0x602000000010 thread T0 &lt;main&gt;
            \u{a0}   #0 0x555555555130  \(tail)
                #1 0x555555555157  \(tail)

            """
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        let result = report.resolved().symbolicated([0: [FoundFunction(name: "peel<int>", line: 3)]]
        )
        let written = String(
            decoding: report.edits(with: result).applied(to: Array(text.utf8)), as: UTF8.self)
        let lines = zip(text.split(separator: "\n"), written.split(separator: "\n"))
        let changed = lines.filter { $0 != $1 }.map(\.1)
        try #require(changed.count == 1)
        #expect(changed[0].hasPrefix("\u{a0}   #0 0x555555555130 "))
        #expect(changed[0].contains("peel&lt;int&gt;"))
        #expect(changed[0].hasSuffix(" " + tail))
    }

    @Test("the latest mapping at an address is found, of any image or of one")
    func latestMappings() {
        var numbers = SplitMix64(seed: 5)
        for _ in 0..<50 {
            let parts = (0..<20).map { number in
                let start = UInt64.random(in: 0..<40, using: &numbers)
                let end = start + UInt64.random(in: 0..<20, using: &numbers)
                return MappedPart(
                    range: start..<end, fileOffset: UInt64(number), position: number % 3)
            }
            let table = StackMappingTable(parts)
            for address in 0..<UInt64(62) {
                for position in [nil, 0, 1, 2, 3] {
                    let expected = parts.last {
                        $0.range.contains(address) && (position == nil || $0.position == position)
                    }
                    let found = table.mapping(at: address, of: position)
                    #expect(found?.fileOffset == expected?.fileOffset)
                }
            }
        }
    }

    @Test("mappings past the limit are not kept")
    func mappingLimit() {
        var images = StackImages(limit: 10)
        for number in 0...UInt64(StackImages.mappingsLimit) {
            #expect(!images.isFull)
            images.add(
                StackMapping(path: "/a/b", range: number..<number + 1, fileOffset: number, id: nil))
        }
        #expect(images.isFull)
        let limit = UInt64(StackImages.mappingsLimit)
        #expect(images.mappingTable.mapping(at: limit - 1, of: nil)?.fileOffset == limit - 1)
        #expect(images.mappingTable.mapping(at: limit, of: nil) == nil)
    }

    @Test("a sanitizer's report has the event, and its location in which build")
    func sanitizer() throws {
        let file = CrashFileReader().read(try Self.fixture("address.txt"))
        let report = try #require(file.reports.first)
        let diagnostic = report.resolved()
        #expect(diagnostic.details.exceptionName == "AddressSanitizer")
        #expect(diagnostic.details.runtimeMessage?.hasPrefix("heap-use-after-free on ") == true)
        try #require(diagnostic.tree.stacks.count > 1 && diagnostic.tree.frames.count > 3)
        #expect(diagnostic.tree.stacks[1].name == "freed by thread T0 here")
        let library = diagnostic.tree.frames[3]
        #expect(library.image?.hex == "93ac61ec5a8eb1396f9fbd350e3169a558528a40")
        #expect(library.site == .adjusted(ImageOffset(0x27249)))
        #expect(diagnostic.tree.frames[0].imageName == "cellar")
        #expect(report.images.filter { $0.id == nil }.map(\.path) == ["/home/ci/cellar"])
    }

    @Test("inlined calls that a sanitizer numbers one by one are one physical frame")
    func inlinedCalls() throws {
        let file = CrashFileReader().read(try Self.fixture("address.symbolicated.txt"))
        let tree = try #require(file.reports.first).resolved().tree
        #expect(
            tree.reportedFunctions[0]?.map(\.name) == [
                "tapped", "poured", "cellar::serve(cellar::Cask*)",
            ])
        #expect(tree.reportedFunctions[0]?.map(\.isInlined) == [true, true, false])
        #expect(tree.reportedFunctions[0]?.map(\.line) == [19, 23, 38])
    }

    @Test("a repeated call at one location is recursion, not an inlined call")
    func recursion() throws {
        let line = "0x55f41410c38a in list /src/a.cpp:3:5 (/src/a+0x138a)"
        let tree = try diagnostic((0..<3).map { "    #\($0) \(line)\n" }.joined()).tree
        #expect(tree.frames.count == 3)
    }

    @Test("an address without an offset is placed by the other frames of its module")
    func placed() throws {
        let tree = try diagnostic(
            String(decoding: Self.fixture("backtrace-symbols.txt"), as: UTF8.self)
        )
        .tree
        try #require(tree.frames.count > 6)
        #expect(tree.frames[6].site == .returnAddress(ImageOffset(0x27305)))
        #expect(tree.reportedFunctions[6]?.map(\.name) == ["__libc_start_main"])
    }

    @Test("without its file an image with a fixed address has no offsets, and with it its own")
    func fixedAddress() throws {
        let text = "./cellar(press+0x18) [0x401343]\n./cellar(+0x401367) [0x401367]\n"
        var report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.resolved().tree.frames.map(\.site) == [nil, nil])
        let id = try #require(ImageID("2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c"))
        let found = report.images.map { ($0, id) }
        report.identify(unchecked: Dictionary(found) { first, _ in first })
        let placement = ImagePlacement(base: LinkAddress(0x40_0000), segments: [])
        let diagnostic = report.resolved(placementOf: { $0 == id ? placement : nil })
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                .returnAddress(ImageOffset(0x1343)), .returnAddress(ImageOffset(0x1367)),
            ])
        #expect(diagnostic.tree.frames.allSatisfy { $0.remarks == [.identityUnchecked] })
        #expect(diagnostic.remarks == [.identityUnchecked])
    }

    @Test("gdb's addresses are assigned to images by its mappings")
    func mappings() throws {
        let tree = try diagnostic(String(decoding: Self.fixture("gdb.txt"), as: UTF8.self)).tree
        try #require(tree.frames.count > 1)
        #expect(tree.frames[0].site == .programCounter(ImageOffset(0x1392)))
        #expect(tree.frames[1].site == .returnAddress(ImageOffset(0x14c7)))
        #expect(tree.frames[0].imageName == "cellar")
        #expect(tree.reportedFunctions[2]?.first?.name == "__libc_start_call_main")
    }

    @Test("an identity given for an image applies to its addresses too")
    func givenIdentity() throws {
        let id = try #require(ImageID("2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c"))
        let file = CrashFileReader(identities: ["cellar": id])
            .read(Array("./cellar(press+0x18) [0x401343]\n".utf8))
        let placement = ImagePlacement(base: LinkAddress(0x40_0000), segments: [])
        let diagnostic = try #require(file.reports.first).resolved(placementOf: { _ in placement })
        #expect(diagnostic.tree.frames.map(\.image) == [id])
        #expect(diagnostic.tree.frames.map(\.site) == [.returnAddress(ImageOffset(0x1343))])
    }

    @Test(
        "a log that begins with a bracket is not a list",
        arguments: ["[INFO] ready\n", "[2026-01-01] ready\n"])
    func bracket(line: String) throws {
        let stack = "#0  0x0000555555555392 in ?? ()\n#1  0x00005555555554c7 in ?? ()\n"
        let file = CrashFileReader().read(Array((line + stack).utf8))
        #expect(file.reports.map(\.format) == [.gdb])
        var stream = ReportStream()
        let first = Array(line.utf8)
        #expect(stream.add(first) == [.lines(first)])
    }

    @Test("a frame that a signal interrupted is where the program was")
    func interrupted() throws {
        let text = """
            #0  0x00007ffff7aab3aa in ?? () from /lib/libc.so.6
            #1  <signal handler called>
            #2  0x0000555555555392 in ?? ()
            #3  0x00005555555554c7 in ?? ()
                  0x555555554000     0x555555559000     0x5000        0x0  r-xp   /src/cellar
            """
        let tree = try diagnostic(text).tree
        try #require(tree.frames.count > 2)
        #expect(tree.frames[1].site == .programCounter(ImageOffset(0x1392)))
        #expect(tree.frames[2].site == .returnAddress(ImageOffset(0x14c7)))
    }

    @Test("a core dump's modules have build ids, and two of one name none")
    func coreDump() throws {
        let text = """
            Process 4711 (cellar) of user 1000 dumped core.

            Module /usr/lib/libc.so.6 with build-id 93ac61ec5a8eb1396f9fbd350e3169a558528a40
            Found module /opt/a/cellar with build-id: 2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000001
            Stack trace of thread 4711:
            #0  0x00007f0b3fe45249 raise (libc.so.6 + 0x3b249)
            #1  0x000055f41410c38a n/a (cellar + 0x138a)

            Stack trace of thread 4712:
            #0  0x00007f0b3fe45249 __poll (libc.so.6 + 0x3b249)
            ELF object binary architecture: AMD x86-64
            """
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.tree.stacks.map(\.name) == ["thread 4711", "thread 4712"])
        try #require(diagnostic.tree.frames.count > 1)
        #expect(diagnostic.tree.frames[0].site == .programCounter(ImageOffset(0x3b249)))
        #expect(
            diagnostic.tree.frames[1].image?.hex == "2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000001")
        #expect(diagnostic.details.processName == "cellar")
        let second =
            "Module /opt/b/cellar with build-id 2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000002\nStack trace"
        let both = try self.diagnostic(
            text.replacingFirst("Stack trace", with: second))
        try #require(both.tree.frames.count > 1)
        #expect(both.tree.frames[1].image == nil)
    }

    @Test("a panic that Go printed with addresses has every frame of every goroutine")
    func goAddresses() throws {
        let file = CrashFileReader().read(try Self.fixture("go.txt"))
        let diagnostic = try #require(file.diagnostics.first)
        #expect(
            diagnostic.tree.stacks.map(\.name) == [
                "goroutine 18 [running]", "goroutine 1 [chan receive]",
            ])
        #expect(diagnostic.tree.stacks.map(\.frames.count) == [8, 6])
        let functions = (0..<8).map { diagnostic.tree.reportedFunctions[$0]?.first }
        #expect(
            functions.map { $0?.name } == [
                "panic", "runtime.goPanicIndex", "main.(*Cask).tap", "main.pour", "main.serve",
                "main.main.func1", "runtime.goexit", "main.main",
            ])
        #expect(functions.map { $0?.line } == [987, 113, 9, 13, 18, 24, 1594, 24])
        #expect(
            diagnostic.tree.frames[..<8].map(\.address?.rawValue) == [
                0x42f3ba, 0x42d79f, 0x460630, nil, 0x460659, 0x4607d1, 0x4598a1, nil,
            ])
    }

    @Test("panics of Go are read with functions, source lines and distances")
    func goPanic() throws {
        let text = """
            panic: runtime error: index out of range [5] with length 3

            goroutine 1 [running]:
            main.pour(...)
            	/src/main.go:8
            main.(*Cask).serve(0xc000012345, {0x1, 0x2})
            	/src/main.go:14 +0x1d
            created by main.main in goroutine 1
            	/src/main.go:20 +0x85
            exit status 2
            """
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.details.runtimeMessage?.hasPrefix("runtime error: index") == true)
        #expect(
            diagnostic.tree.reportedFunctions.sorted { $0.key < $1.key }.flatMap(\.value).map(
                \.name)
                == ["main.pour", "main.(*Cask).serve", "main.main"])
        #expect(diagnostic.tree.reportedFunctions[1]?.first?.distance == 0x1d)
        #expect(diagnostic.tree.reportedFunctions[1]?.first?.line == 14)
    }

    @Test("lldb's frames are in the images that it lists")
    func lldb() throws {
        let text = """
            * thread #1, name = 'cellar', stop reason = signal SIGSEGV
              * frame #0: 0x0000555555555392 cellar`___lldb_unnamed_symbol12 + 18
                frame #1: 0x00005555555554c7 cellar`main(count=2) at Cellar.cpp:114:5
            [  0] 2E1F0B7C-9D8E-2E1F-0B7C-9D8E2E1F0B7C-00000001 0x0000555555554000 /src/cellar
            """
        let tree = try diagnostic(text).tree
        try #require(tree.frames.count > 1)
        #expect(tree.frames[0].site == .programCounter(ImageOffset(0x1392)))
        #expect(tree.frames[1].site == .returnAddress(ImageOffset(0x14c7)))
        #expect(tree.frames[0].image?.bytes.count == 20)
        #expect(tree.reportedFunctions[0] == nil)
        #expect(tree.reportedFunctions[1]?.first?.line == 114)
    }

    @Test("perf's inlined calls are of the frame below them")
    func perfInlined() throws {
        let text = """
            cellar 7   986.175482:     250000 cycles:
            \t            13b8 tapped (inlined)
              /src/Cellar.cpp:19
            \t            13b8 toast+0x18 (/src/cellar)
              /src/Cellar.cpp:99
            """
        let tree = try diagnostic(text).tree
        #expect(tree.frames.count == 1)
        #expect(tree.reportedFunctions[0]?.map(\.name) == ["tapped", "toast"])
        #expect(tree.reportedFunctions[0]?.map(\.line) == [19, 99])
    }

    @Test("an inlined call in the innermost frame does not make a caller of its function")
    func innermostInlined() throws {
        let text = """
            #0  0x0000555555555392 in poured () at /src/Cellar.cpp:23:27
            #1  0x0000555555555392 in burst(int) at /src/Cellar.cpp:92:23
            #2  0x00005555555554c7 in main () at /src/Cellar.cpp:114:59
                  0x555555554000     0x555555559000     0x5000        0x0  r-xp   /src/cellar
            """
        let tree = try diagnostic(text).tree
        #expect(
            tree.frames.map(\.site) == [
                .programCounter(ImageOffset(0x1392)), .returnAddress(ImageOffset(0x14c7)),
            ])
    }

    @Test("perf's addresses are file offsets, or addresses in mappings")
    func perf() throws {
        let text = """
            PERF_RECORD_MMAP2 7/7: [0x55f414109000(0x3000) @ 0x1000 08:01 123 0]: r-xp /src/cellar
            cellar 7   986.175482:     250000 cycles:
            	    55f4141093b8 cellar::toast(int)+0x18 (/src/cellar)
            	            1487 main+0x20 (/src/cellar)
            """
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        #expect(report.format == .perfScript && report.wantsPlacements)
        #expect(report.resolved().tree.frames.map(\.site) == [nil, nil])
        var known = report
        let id = try #require(ImageID("2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c"))
        known.identify(unchecked: [try #require(report.images.first): id])
        let placement = ImagePlacement(
            base: LinkAddress(0),
            segments: [.init(fileOffset: 0x1000, address: LinkAddress(0x2000), size: 0x3000)])
        let tree = known.resolved(placementOf: { _ in placement }).tree
        #expect(
            tree.frames.map(\.site) == [
                .programCounter(ImageOffset(0x23b8)), .returnAddress(ImageOffset(0x2487)),
            ])
    }

    @Test(
        "lines that only look like frames begin no report",
        arguments: [
            "#1 0x1234 in the list of things", "see issue #12 (a+b)", "handler(x) [0x12]",
            "panic", "Thread #1 waits", "the clock cycles (fast)", "a (b + 0xc)", "note: #0 0x10",
            "    abc (def)", "no module with build-id", "[0x10] (+0x20)", "==7== Command: cellar",
            "== Invalid state at 0x10", "10# items in the list", "5# 0x10 in the list",
            "*** SIGNED OFF ***", "mail @     0 or 1", "a.cc:4] Check failed: no",
            "java.lang.Object @     0x", "3 blocks are lost",
        ])
    func ordinary(line: String) {
        #expect(!LinuxStacks.isIdentified(by: Array(line.utf8)[...]))
    }

    @Test(
        "truncated reports and those with flipped bits are read as far as possible",
        arguments: names)
    func damaged(name: String) throws {
        let whole = try Self.fixture(name)
        var numbers = SplitMix64(seed: 14)
        for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
            var bytes = Array(whole[..<place])
            check(bytes)
            bytes = whole
            bytes[Int.random(in: 0..<whole.count, using: &numbers)] ^=
                1 << UInt8.random(in: 0..<8, using: &numbers)
            check(bytes)
        }
    }

    private func check(_ bytes: [UInt8]) {
        for report in CrashFileReader().read(bytes).reports {
            #expect(report.range.upperBound <= bytes.count)
            let diagnostic = report.resolved()
            #expect(diagnostic.tree.frames.count <= bytes.count)
            var budget = EditBudget(fileByteCount: bytes.count)
            let found = Dictionary(
                uniqueKeysWithValues: diagnostic.tree.frames.indices.map {
                    ($0, [FoundFunction(name: "f")])
                })
            let edits = report.edits(with: diagnostic.symbolicated(found), budget: &budget)
            #expect(edits.allSatisfy { $0.range.upperBound <= bytes.count })
        }
    }

    @Test(
        "a stack in a stream is buffered to its end, and other lines are passed on",
        arguments: names)
    func stream(name: String) throws {
        let report = try Self.fixture(name)
        var stream = ReportStream()
        let before = Array("ready\n".utf8)
        let after = Array((0..<70).map { "tick \($0)\n" }.joined().utf8)
        var lines: [UInt8] = []
        var reports = 0
        for piece in stream.add(before + report + after) + stream.end() {
            switch piece {
            case .lines(let bytes): lines += bytes
            case .report(let bytes):
                reports += CrashFileReader().read(bytes).reports.count
                #expect(bytes.count <= report.count)
            case .cut: Issue.record("the report is cut")
            }
        }
        #expect(reports > 0)
        #expect(lines.starts(with: before))
        #expect(lines.suffix(after.count).elementsEqual(after))
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return replacingCharacters(in: range, with: other)
    }
}
