import CallStacks
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFixtures
import Testing

@testable import ReportFormats

@Suite("Text reports")
struct CrashTextTests {
    private let id = ImageID("4c4c448155553144a199bfceae3fe729")!
    private static let images =
        """
        Binary Images:
            0x1000 -     0x2fff Orchard arm64  <4c4c448155553144a199bfceae3fe729> /a/Orchard

           0x10000 -    0x10fff libpress.dylib armv7  <5c4c448155553144a199bfceae3fe729> /b/libpress.dylib

        """

    private func diagnostic(
        _ text: String, identities: [String: ImageID] = [:]
    ) throws -> Diagnostic {
        try #require(
            CrashFileReader(identities: identities).read(bytes(text)).diagnostics.first)
    }

    private func sites(_ diagnostic: Diagnostic) -> [CallSite?] {
        diagnostic.tree.frames.map(\.site)
    }

    @Test("a Mac's model excludes the rest of its profile")
    func model() throws {
        let text =
            "Process: Orchard [4711]\nCode Type: ARM-64\nModel: Tree7,1, BootROM 1.2, 4 processors\n"
        #expect(try diagnostic(text).details.deviceType == "Tree7,1")
    }

    @Test("threads have names, and one crashed")
    func threads() throws {
        let diagnostic = try diagnostic(
            """
            Process:             Orchard [4711]
            Path:                /a/Orchard
            Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
            Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000008
            Application Specific Information:
            *** Terminating app due to uncaught exception 'Rotten', reason: 'it's brown'

            Thread 0 name:  Dispatch queue: com.apple.main-thread
            Thread 0:
            0   Orchard   0x0000000000001010 press + 16
            one bad line
            1   libpress.dylib   0x0000000000010011 0x10000 + 17

            Thread 1 Crashed:: io.orchard.worker  Dispatch queue: orchard
            0   ???   0x0000000000009999 0 + 39321
            1   Orchard   0x0000000000001020 0x1000 + 32

            Thread 1 crashed with ARM Thread State (64-bit):
                x0: 0x0000000000000000   x1: 0x0000000000000001

            \(Self.images)
            """)
        let tree = diagnostic.tree
        #expect(tree.stacks.map(\.name) == ["com.apple.main-thread", "io.orchard.worker"])
        #expect(tree.stacks.map(\.isAttributed) == [false, true])
        #expect(
            sites(diagnostic) == [
                .programCounter(ImageOffset(16)), .returnAddress(ImageOffset(16)), nil,
                .returnAddress(ImageOffset(32)),
            ])
        #expect(diagnostic.images.map(\.name) == ["Orchard", "libpress.dylib"])
        #expect(diagnostic.details.exceptionSubtype == "KERN_INVALID_ADDRESS at 0x0000000000000008")
        #expect(diagnostic.details.objectiveCExceptionName == "Rotten")
        #expect(diagnostic.details.objectiveCExceptionMessage == "it's brown")
        #expect(diagnostic.details.processName == "Orchard")
    }

    @Test("the message of the Swift runtime is found between those of other libraries")
    func fatalError() throws {
        let details = try diagnostic(
            """
            Process:             Orchard [4711]
            Application Specific Information:
            abort() called
            Orchard/Press.swift:12: Fatal error: the press is empty
            More text

            Thread 0:
            0   Orchard   0x0000000000001010 press + 16

            \(Self.images)
            """
        ).details
        #expect(details.runtimeMessage == "Orchard/Press.swift:12: Fatal error: the press is empty")
    }

    @Test("an exception number from an old system is read, and 0 means none")
    func numericException() throws {
        let text = "Exception Type:  00000020\nException Codes: 0x8badf00d, 0x1\n\nThread 0:\n"
        let details = try diagnostic(text).details
        #expect(details.exceptionName == "00000020")
        #expect(details.exceptionCode == 0x8bad_f00d)
        #expect(details.fields[.exceptionCodes] == "0x8badf00d, 0x1")
        let none = try diagnostic("Exception Type:  0 (0)\nProcess: Orchard [1]\n\nThread 0:\n")
        #expect(none.details.exceptionName == nil)
    }

    @Test("offsets in unnamed frames of old Swift runtimes count from the image's start")
    func unavailable() throws {
        let text = """
            Current stack trace:
            0    libswiftCore.so   0x00007f2a5d6f4ab0 _swift_reportFatalError + 113
            1    orchard           0x0000000000401010 <unavailable> + 4112
            2    orchard           0x0000000000401020 main + 16
            3    orchard           0x0000000000000008 <unavailable> + 4112

            """
        let tree = try diagnostic(text, identities: ["orchard": id]).tree
        #expect(tree.frames.map(\.image) == [nil, id, id, nil])
        #expect(
            tree.frames.map(\.site?.offset) == [nil, ImageOffset(4112), ImageOffset(4128), nil])
        #expect(tree.reportedFunctions.keys.sorted() == [0, 2])
    }

    @Test("a Thumb return address is looked up in the call before it")
    func thumb() throws {
        let diagnostic = try diagnostic(
            "Thread 0:\n0 a 0x1 b + 1\n1 c 0x10011 d + 1\n\(Self.images)")
        #expect(sites(diagnostic)[1]?.lookupOffset == ImageOffset(15))
    }

    @Test("a crashed thread that begins in exception handling is where the exception was thrown")
    func thrown() throws {
        let diagnostic = try diagnostic(
            "Thread 0 Crashed:\n0 Orchard 0x1010 __exceptionPreprocess + 4\n\(Self.images)")
        #expect(sites(diagnostic) == [.returnAddress(ImageOffset(16))])
    }

    @Test("a list of addresses is written as frame lines")
    func addresses() async throws {
        let text =
            """
            Last Exception Backtrace:
            (0x1010 0x10010
             0x9999)

            Thread 0 Crashed:
            0   Orchard                       	            0x1010 0x1000 + 16

            \(Self.images)
            """
        let file = CrashFileReader().read(bytes(text))
        let diagnostic = try #require(file.diagnostics.first)
        #expect(diagnostic.tree.stacks.map(\.role) == [.lastException, .thread])
        #expect(diagnostic.tree.stacks.map(\.frames.count) == [3, 1])
        let result = diagnostic.symbolicated([
            0: [
                .init(name: "peel", line: 3, isInlined: true), .init(name: "eat", distance: 8),
            ]
        ])
        let written = try #require(file.reports.first).edits(with: result).applied(to: bytes(text))
        #expect(
            written.text.contains(
                """
                Last Exception Backtrace:
                0   Orchard                       \t            0x1010 peel (Orchard.swift:3) [inlined]
                1   Orchard                       \t            0x1010 eat + 8
                2   libpress.dylib                \t           0x10010 0x10000 + 16
                3   ???                           \t            0x9999 0x0 + 39321

                Thread 0
                """))
    }

    @Test("a truncated list of addresses stays unchanged")
    func brokenAddresses() throws {
        for list in ["(0x1010 0x1020", "(0x1010 Version: (34)", "(0x1010\n\n0x1020)"] {
            let text = "Last Exception Backtrace:\n\(list)\n\nThread 0:\n\n\(Self.images)"
            let file = CrashFileReader().read(bytes(text))
            let diagnostic = try #require(file.diagnostics.first)
            #expect(diagnostic.tree.frames.first?.address == RuntimeAddress(0x1010))
            let result = diagnostic.symbolicated([0: [.init(name: "eat")]])
            #expect(try #require(file.reports.first).edits(with: result).isEmpty)
        }
    }

    @Test("frames after inserted lines are renumbered, and surrounding text is kept")
    func numbers() throws {
        let text =
            "Thread 0:\n0   a     0x1010 x\n1   b\t0x1020   0x1 + 1 \n10  c  0x1030\n\(Self.images)"
        let file = CrashFileReader().read(bytes(text))
        let result = try #require(file.diagnostics.first).symbolicated([
            1: [.init(name: "peel", isInlined: true), .init(name: "eat", distance: 8, line: 4)],
            2: [.init(name: "pick")],
        ])
        let written = try #require(file.reports.first).edits(with: result).applied(to: bytes(text))
        #expect(
            written.text
                == """
                Thread 0:
                0   a     0x1010 x
                1   b\t0x1020   peel [inlined]
                2   b\t0x1020   eat + 8 (Orchard.swift:4)\(" ")
                11  c  0x1030 pick
                \(Self.images)
                """)
    }

    @Test("images without a list get their base from frames, and identities by name")
    func noImages() throws {
        let text = "Thread 0:\n0 Orchard 0x1010 0x1000 + 16\n1 Orchard 0x1020 main + 900\n"
        let unknown = try diagnostic(text)
        #expect(unknown.tree.frames.map(\.image) == [nil, nil])
        #expect(unknown.tree.frames.map(\.imageName) == ["Orchard", "Orchard"])
        let known = try diagnostic(text, identities: ["Orchard": id])
        try #require(known.tree.frames.map(\.image) == [id, id])
        #expect(known.tree.frames[1].site?.offset == ImageOffset(0x20))
        let header = #"{"bug_type":"109","name":"Orchard","os_version":"","slice_uuid":""#
        let headed = try diagnostic(header + id.hex + "\"}\n" + text)
        #expect(headed.tree.frames.map(\.image) == [id, id])
    }

    @Test("all reports of a file are read")
    func several() {
        let report = "Incident Identifier: 1\nProcess: Orchard [1]\n\nThread 0:\n0 a 0x1010 x\n\n"
        let file = CrashFileReader().read(bytes(report + report + Self.images))
        #expect(file.reports.map(\.format) == [.crashText, .crashText])
        #expect(file.diagnostics.map(\.images.count) == [0, 2])
    }

    @Test("lines of threads past the limit are ignored")
    func manyThreads() throws {
        var limits = PayloadLimits()
        limits.stacksPerTree = 1
        let text = """
            Thread 0:

            Thread 1:
            0 a 0x1010 0x1000 + 16
            (0x1020 0x1030)
            a word

            Code Type: ARM-64

            """ + Self.images
        let file = CrashFileReader(limits: limits).read(bytes(text))
        let diagnostic = file.diagnostics.first
        #expect(diagnostic?.tree.frames.isEmpty != false)
        #expect(diagnostic?.details.sections.isEmpty != false)
        #expect(diagnostic?.details.architecture == "arm64")
    }

    @Test("a report with HTML entities is read and written like any other")
    func entities() throws {
        let text = "Thread 0:\n0 a 0x1010 0x1000 + 16\n\(Self.images)"
            .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let file = CrashFileReader().read(bytes(text))
        #expect(file.diagnostics.first?.tree.frames.first?.image == id)
        let result = try #require(file.diagnostics.first).symbolicated([
            0: [.init(name: "List<Apple>.peel")]
        ])
        let written = try #require(file.reports.first).edits(with: result).applied(to: bytes(text))
        #expect(written.text.contains("0x1010 List&lt;Apple&gt;.peel\n"))
    }

    @Test("an inlined call may be marked before its name, as in Symbolist's own text")
    func markBefore() throws {
        let call = try #require(FrameSymbolText.symbol("[inlined] peel (Peel.swift:8:3)"))
        #expect(call.name == "peel")
        #expect(call.isInlined)
        #expect(call.line == 8)
        #expect(FrameSymbolText.symbol("peel (Peel.swift:8:3)")?.isInlined == false)
    }

    @Test("lines between an inlined call and its function are kept")
    func foreignLine() throws {
        let text = """
            Thread 0:
            0   Orchard   0x1010 peel [inlined]
            one bad line
            1   Orchard   0x1010 eat + 16

            \(Self.images)
            """
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "wash", isInlined: true), .init(name: "eat", distance: 8)]
        ])
        let written = report.edits(with: result).applied(to: bytes(text)).text
        #expect(
            written.hasPrefix(
                """
                Thread 0:
                one bad line
                0   Orchard   0x1010 wash [inlined]
                1   Orchard   0x1010 eat + 8

                """))
    }

    @Test("frames that exceed the budget stay unchanged")
    func budget() throws {
        let text = "Thread 0:\n0 a 0x1010 x + 1\n1 a 0x1020 y + 1\n2 a 0x1030 z + 1\n\(Self.images)"
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "peel")],
            1: [.init(name: "wash", isInlined: true), .init(name: "eat")], 2: [.init(name: "eat")],
        ])
        var budget = EditBudget(bytes: 200)
        let edits = report.edits(with: result, budget: &budget)
        #expect(
            edits.applied(to: bytes(text)).text == text.replacing("x + 1", with: "peel"))
    }
}

@Suite("Frames without a report")
struct BareFramesTests {
    private let id = ImageID("4c4c448155553144a199bfceae3fe729")!

    @Test("standalone frames are return addresses, looked up by supplied identities")
    func bare() throws {
        let file = CrashFileReader(identities: ["Orchard": id]).read(
            bytes("2   Orchard   \t0x104a2fac0 0x104a2c000 + 15040\n"))
        #expect(file.reports.map(\.format) == [.standaloneFrames])
        let frame = try #require(file.diagnostics.first?.tree.frames.first)
        #expect(frame.image == id)
        #expect(frame.site == .returnAddress(ImageOffset(15040)))
        #expect(file.reports.first?.imageIDs == [id])
    }

    @Test("the identity in a line applies to the other lines of its image in the stack")
    func statedIdentity() throws {
        let text = """
            1   Orchard   0x0000000104a303e0 \(id) + 17376
            2   Orchard   0x0000000104a30038 main + 64
            3   libpress   0x0000000104a30038 press + 64

            1   Orchard   0x0000000204a303e0 \(id) + 17376
            2   Orchard   0x0000000204a30038 main + 64

            """
        let frames = try #require(CrashFileReader().read(bytes(text)).diagnostics.first).tree.frames
        #expect(frames.map(\.image) == [id, id, nil, id, id])
        #expect(
            frames.map { $0.site?.offset.rawValue } == [17_376, 16_440, nil, 17_376, 16_440])
    }

    @Test(
        "a printed list of strings is read, and rewritten as such",
        arguments: [("(", ")"), ("[", "]"), ("", "")])
    func printedList(start: String, end: String) throws {
        let text = """
            \(start)
                "9   Orchard   0x0000000104a303e0 \(id) + 17376",
                "10  Orchard   0x0000000104a30038 \(id) + 16440"
            \(end)

            """
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        #expect(report.resolved().tree.frames.map(\.image) == [id, id])
        #expect(report.resolved().tree.frames.map { $0.site?.offset.rawValue } == [17_376, 16_440])
        let tapped = FoundFunction(name: "tapped", line: 3, isInlined: true)
        let result = report.resolved().symbolicated([
            0: [tapped, FoundFunction(name: "a\"b", line: 9)], 1: [FoundFunction(name: "main")],
        ])
        #expect(
            report.edits(with: result).applied(to: bytes(text)).text == """
                \(start)
                    "9   Orchard   0x0000000104a303e0 tapped (Orchard.swift:3) [inlined]",
                    "10  Orchard   0x0000000104a303e0 a\\"b (Orchard.swift:9)",
                    "11  Orchard   0x0000000104a30038 main"
                \(end)

                """)
    }

    @Test("an image with the end of its name only has that of the list")
    func cutName() throws {
        let text = """
            Thread 0 Crashed:
            0   ...rchardKit.Service   0x0000000000001010 0x1000 + 16

            Binary Images:
                0x1000 -     0x2fff OrchardKit.Service arm64  <\(id.hex)> /a/OrchardKit.Service

            """
        let frames = try #require(CrashFileReader().read(bytes(text)).diagnostics.first).tree.frames
        #expect(frames.map(\.imageName) == ["OrchardKit.Service"])
    }

    @Test("the image that requires an identity is named")
    func unknown() throws {
        let file = CrashFileReader().read(bytes("2 Orchard 0x104a2fac0 Orchard + 15040"))
        let frame = try #require(file.diagnostics.first?.tree.frames.first)
        #expect(frame.imageName == "Orchard")
        #expect(frame.remarks == [.noUUID])
    }

    @Test("lines of identity and offset are looked up as given")
    func offsets() throws {
        let file = CrashFileReader().read(
            bytes("\(id) 0x3ac0\n\n# a remark\n\(id.hex) 15040\r\n"))
        #expect(file.reports.map(\.format) == [.offsetList])
        let frames = try #require(file.diagnostics.first?.tree.frames)
        #expect(frames.map(\.image) == [id, id])
        #expect(
            frames.map(\.site) == Array(repeating: .programCounter(ImageOffset(0x3ac0)), count: 2))
    }

    @Test("addresses alone are rejected with a hint to name an image")
    func addresses() {
        let file = CrashFileReader().read(bytes("0x104a2fac0\n104a2fb34 0x104a2fb00\n"))
        #expect(file.unread.first?.problem.description.contains("symbolist atos") == true)
    }
}
