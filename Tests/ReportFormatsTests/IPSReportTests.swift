import CallStacks
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFixtures
import ReportFormats
import Testing

@Suite(".ips reports")
struct IPSReportTests {
    private static let header =
        #"{"app_name":"Orchard","bug_type":"309","os_version":"macOS 26.1 (25B78)","#
        + #""slice_uuid":"4c4c4481-5555-3144-a199-bfceae3fe729","name":"Orchard"}"#
    private static let images =
        #""usedImages":[{"base":4096,"size":8192,"uuid":"4c4c4481-5555-3144-a199-bfceae3fe729","#
        + #""name":"Orchard","arch":"arm64"},{"size":0,"source":"A","base":0,"#
        + #""uuid":"00000000-0000-0000-0000-000000000000"},{"base":65536,"size":4096,"#
        + #""uuid":"5c4c4481-5555-3144-a199-bfceae3fe729","path":"/usr/lib/libpress.dylib"}]"#
    private static let body =
        #"{"faultingThread":1,"exception":{"type":"EXC_BAD_ACCESS","signal":"SIGSEGV","#
        + #""rawCodes":[18446744066784917455]},"threads":[{"frames":[]},{"name":"press","#
        + #""frames":[{"imageOffset":16,"imageIndex":0},{"imageOffset":32,"symbol":"main","#
        + #""symbolLocation":null,"imageIndex":0},{"imageOffset":65552,"imageIndex":1},"#
        + #"{"imageOffset":9,"imageIndex":77}]}],"# + images + "}"

    private func diagnostic(_ text: String) throws -> Diagnostic {
        try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
    }

    private func sites(_ diagnostic: Diagnostic) -> [CallSite?] {
        diagnostic.tree.frames.map(\.site)
    }

    @Test("all threads are read, and each stack has its innermost frame first")
    func threads() throws {
        let diagnostic = try diagnostic(Self.header + "\n" + Self.body)
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(diagnostic.tree.stacks.map(\.name) == [nil, "press"])
        #expect(
            sites(diagnostic) == [
                .programCounter(ImageOffset(16)), .returnAddress(ImageOffset(32)),
                .returnAddress(ImageOffset(16)), .returnAddress(ImageOffset(9)),
            ])
        #expect(diagnostic.tree.frames.map(\.imageName).suffix(2) == ["libpress.dylib", nil])
        #expect(diagnostic.tree.reportedFunctions[1]?.map(\.name) == ["main"])
        #expect(diagnostic.images.map(\.name) == ["Orchard", nil, "libpress.dylib"])
        #expect(diagnostic.details.exceptionCode == 18_446_744_066_784_917_455)
        #expect(diagnostic.details.signal == 11)
        #expect(diagnostic.details.osVersion == "macOS 26.1 (25B78)")
    }

    @Test(
        "a frame without a valid offset keeps its place",
        arguments: ["null", "-5", "18446744073709551616", #""x""#])
    func lostOffset(offset: String) throws {
        let body = Self.body.replacing(
            #"{"imageOffset":16,"imageIndex":0}"#,
            with: #"{"imageOffset":\#(offset),"imageIndex":0}"#)
        let diagnostic = try diagnostic(Self.header + "\n" + body)
        #expect(
            sites(diagnostic) == [
                nil, .returnAddress(ImageOffset(32)), .returnAddress(ImageOffset(16)),
                .returnAddress(ImageOffset(9)),
            ])
        #expect(diagnostic.tree.frames.first?.image == diagnostic.images.first?.id)
    }

    @Test(
        "a report is read with a broken header, without one, after prose and with extra commas",
        arguments: [
            "", #"{"app_name":"Orchard","bug_"# + "\n",
            "This is what happened:\n\n" + header + "\n",
            "\u{feff}" + header + "\r\n",
        ])
    func lenient(before: String) throws {
        let expected = sites(try diagnostic(Self.header + "\n" + Self.body))
        #expect(sites(try diagnostic(before + Self.body)) == expected)
        let commas = Self.body.replacing("]}", with: "],}").replacing("0}", with: "0,}")
        #expect(sites(try diagnostic(before + commas)) == expected)
        #expect(sites(try diagnostic(before + Self.body + "\n\nSystem Profile:\nx")) == expected)
    }

    @Test("numbers may be strings")
    func numbersAsStrings() throws {
        let keys = ["imageIndex", "imageOffset", "faultingThread", "base", "size"]
        var text = Self.body
        for key in keys {
            for number in ["0", "1", "9", "16", "32", "77", "4096", "8192", "65536", "65552"] {
                for end in [",", "}"] {
                    text = text.replacing(
                        "\"\(key)\":\(number)\(end)", with: "\"\(key)\":\"\(number)\"\(end)")
                }
            }
        }
        #expect(text.contains("\"imageIndex\":\"0\"}") && !text.contains("Index\":0"))
        let expected = try diagnostic(Self.header + "\n" + Self.body)
        let read = try diagnostic(Self.header + "\n" + text)
        #expect(read.tree == expected.tree)
        #expect(read.images == expected.images)
    }

    @Test("a truncated report is read as far as possible")
    func truncated() throws {
        let cut = try #require(Self.body.firstRange(of: ",\"uuid\":\"00000000"))
        let inImages = try diagnostic(Self.header + "\n" + Self.body[..<cut.lowerBound])
        #expect(inImages.remarks == [.jsonTruncated])
        try #require(!inImages.tree.frames.isEmpty)
        #expect(inImages.tree.frames[0].image != nil)
        #expect(inImages.tree.frames.count == 4)
        let frame = try #require(Self.body.firstRange(of: ",\"symbolLocation"))
        let inThreads = try diagnostic(Self.header + "\n" + Self.body[..<frame.lowerBound])
        #expect(inThreads.tree.frames.map(\.image) == [nil])
        #expect(
            inThreads.images
                == [
                    ListedImage(
                        id: ImageID("4c4c4481-5555-3144-a199-bfceae3fe729"), name: "Orchard")
                ])
    }

    @Test("inlined calls are merged into their frame, however they are marked")
    func folded() throws {
        for mark in ["true", "\"true\"", "1"] {
            let frames =
                #"[{"symbol":"peel","inline":\#(mark),"imageIndex":0,"imageOffset":16},"#
                + #"{"symbol":"eat","imageIndex":0,"imageOffset":16,"sourceFile":"Eat.swift","#
                + #""sourceLine":7},{"symbol":"eat","imageIndex":0,"imageOffset":16}]"#
            let body =
                #"{"threads":[],"lastExceptionBacktrace":{"frames":\#(frames)},\#(Self.images)}"#
            let tree = try diagnostic(body).tree
            #expect(tree.stacks.map(\.role) == [.lastException])
            try #require(tree.frames.count == 2)
            #expect(tree.reportedFunctions[0]?.map(\.name) == ["peel", "eat"])
            #expect(tree.reportedFunctions[0]?.map(\.isInlined) == [true, false])
            #expect(tree.reportedFunctions[0]?.last?.line == 7)
            #expect(tree.frames[0].site == .returnAddress(ImageOffset(16)))
        }
    }

    @Test("an offset shows whether its writer moved it back where instructions are aligned")
    func parity() throws {
        let frames =
            #"[{"imageOffset":33,"imageIndex":0},{"imageOffset":35,"imageIndex":0},"#
            + #"{"imageOffset":17,"imageIndex":2},{"imageOffset":19,"imageIndex":2}]"#
        let body = #"{"threads":[{"frames":\#(frames)}],\#(Self.images)}"#
        #expect(
            sites(try diagnostic(body)) == [
                .returnAddress(ImageOffset(33)), .adjusted(ImageOffset(35)),
                .returnAddress(ImageOffset(17)), .returnAddress(ImageOffset(19)),
            ])
    }

    @Test("backtraces in text consist of return addresses")
    func backtraces() throws {
        let text = #"0   Orchard   0x0000000000001010 0x1000 + 16\n1   ???  0x1 0x0 + 1"#
        let body = #"{"threads":[],"asiBacktraces":["\#(text)"],\#(Self.images)}"#
        let diagnostic = try diagnostic(body)
        #expect(diagnostic.tree.stacks.map(\.role) == [.applicationBacktrace])
        #expect(sites(diagnostic) == [.returnAddress(ImageOffset(16)), nil])
    }

    @Test(
        "the crashed thread's registers are read",
        arguments: [
            (
                #""flavor":"ARM_THREAD_STATE64","x":[{"value":7},{"value":18446744066784917455}],"#
                    + #""pc":{"value":9},"esr":{"value":1,"description":"(Data Abort)"}"#,
                ["x0", "x1", "pc", "esr"], "(Data Abort)"
            ),
            (
                #""flavor":"x86_THREAD_STATE","rax":{"value":1},"rflags":{"value":2}"#,
                ["rax", "rfl"], nil
            ),
            (#""flavor":"PPC","r0":{"value":1}"#, nil, nil),
        ] as [(String, [String]?, String?)])
    func registers(state: String, names: [String]?, meaning: String?) throws {
        let body =
            #"{"faultingThread":1,"threads":[{"frames":[]},{"frames":[],"threadState":{\#(state)}}],"#
            + Self.images + "}"
        let registers = try diagnostic(body).details.registers
        #expect(registers?.values.map(\.name) == names)
        #expect(registers?.meaning == meaning)
    }

    @Test("messages of the program are read")
    func messages() throws {
        let body =
            #"{"threads":[],"usedImages":[],"asi":{"libswiftCore.dylib":["Fatal error: rotten"],"#
            + #""libsystem_c.dylib":["abort() called"]},"exceptionReason":{"name":"NSRange","#
            + #""composed_message":"index 10"},"termination":{"namespace":"FRONTBOARD","#
            + #""code":2343432205,"indicator":"too slow"}}"#
        let details = try diagnostic(body).details
        #expect(details.runtimeMessage == "Fatal error: rotten")
        #expect(details.applicationMessages == ["Fatal error: rotten", "abort() called"])
        #expect(details.objectiveCExceptionName == "NSRange")
        #expect(details.objectiveCExceptionMessage == "index 10")
        #expect(details.terminationReason == "FRONTBOARD 2343432205 (0x8badf00d) too slow")
    }

    @Test("other kinds are labelled, and read by their content")
    func kinds() throws {
        let report = try #require(
            CrashFileReader().read(bytes(#"{"bug_type":308,"x":1}"# + "\n" + Self.body)).reports
                .first)
        #expect(report.label == "not a crash: a fault that the process survived")
        #expect(report.resolved().kind == .unknown)
        let text = #"{"bug_type":"109","os_version":"x"}"# + "\nThread 0:\n0 a 0x1000 0x1000 + 0\n"
        #expect(CrashFileReader().read(bytes(text)).reports.map(\.format) == [.crashText])
    }

    @Test("all reports of a file are read")
    func several() {
        let text = Self.header + "\n" + Self.body + "\n" + Self.header + "\n" + Self.body
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.map(\.format) == [.ips, .ips])
        #expect(file.reports.last?.range.upperBound == text.utf8.count)
        let tail = "\nSystem Profile:\nModel: Mac14,2, BootROM 1\nThread 7: none\n"
        let crash = "Process:  Orchard [4711]\nThread 0:\n0   Orchard   0x1020 press + 16\n"
        let mixed = CrashFileReader().read(bytes(text + tail + crash + text))
        #expect(mixed.reports.map(\.format) == [.ips, .ips, .crashText, .ips, .ips])
        #expect(CrashFileReader().read(bytes(text + tail)).reports.count == 2)
    }

    @Test(
        "kinds without stacks are named",
        arguments: [
            (#"{"bug_type":"298"}"# + "\n" + #"{"memoryStatus":{},"processes":[]}"#, "jetsam"),
            (#"{"bug_type":"210"}"# + "\n" + #"{"panicString":"x"}"#, "kernel panic"),
            (#"{"bug_type":"210"}"# + "\npanic(cpu 0)", "kernel panic"),
            (#"{"bug_type":"288"}"# + "\n" + #"{"processByPid":{}}"#, "stackshot"),
            (#"{"load":{"uuid":"x"}}"# + "\n" + #"{"load":{"uuid":"y"}}"#, "Crashlytics"),
        ])
    func refused(text: String, name: String) {
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.isEmpty)
        #expect(file.unread.count == 1)
        #expect(file.unread.first?.problem.description.contains(name) == true)
    }

    @Test("threads past the limit leave no trace in the diagnostic")
    func manyThreads() throws {
        var limits = PayloadLimits()
        limits.stacksPerTree = 1
        let thread = #"{"frames":[{"imageOffset":16,"imageIndex":0,"symbol":"press"}]}"#
        let body = #"{"threads":[\#(thread),\#(thread),\#(thread)],\#(Self.images)}"#
        let file = CrashFileReader(limits: limits).read(bytes(body))
        let report = try #require(file.reports.first)
        let tree = report.resolved().tree
        #expect(tree.stacks.map(\.frames) == [0..<1])
        #expect(tree.frames.count == 1)
        #expect(Array(tree.reportedFunctions.keys) == [0])
        #expect(tree.remarks == [.frameLimit])
        let result = report.resolved().symbolicated([0: [.init(name: "peel")]])
        #expect(report.edits(with: result).filter { !$0.bytes.isEmpty }.count == 3)
    }

    @Test("text between records of inlined calls is kept")
    func foreign() throws {
        let inlined = #"{"symbol":"old","inline":true,"imageIndex":0,"imageOffset":16}"#
        let owner = #"{"symbol":"eat","imageIndex":0,"imageOffset":16}"#
        let frames = #"[\#(inlined), null, {"note":[1]}, \#(inlined), \#(owner)]"#
        let body = #"{"threads":[{"frames":\#(frames)}],\#(Self.images)}"#
        let written = try rewritten(body)
        #expect(written.contains(#"[null, {"note":[1]}, {"symbol":"peel","inline":true,"#))
        #expect(!written.contains("old"))
        #expect(try rewritten(written) == written)
    }

    private func rewritten(_ text: String) throws -> String {
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "peel", line: 3, isInlined: true), .init(name: "eat", distance: 8)]
        ])
        return report.edits(with: result).applied(to: bytes(text)).text
    }

    @Test("a report whose list of images is null says that it has none")
    func nullImages() throws {
        let frames = #"[{"imageIndex":0,"imageOffset":16}]"#
        let body = #"{"exception":{},"threads":[{"frames":\#(frames)}],"usedImages":null}"#
        let diagnostic = try #require(CrashFileReader().read(bytes(body)).diagnostics.first)
        #expect(diagnostic.remarks == [.noImageList])
        #expect(diagnostic.tree.frames.count == 1)
    }

    @Test("long white space is not repeated")
    func whiteSpace() throws {
        let blanks = String(repeating: " ", count: 10_000)
        let frame = #"{\#(blanks)"imageOffset"\#(blanks):\#(blanks)16,"imageIndex":0\#(blanks)}"#
        let body = #"{"threads":[{"frames":[\#(blanks)\#(frame)]}],\#(Self.images)}"#
        let report = try #require(CrashFileReader().read(bytes(body)).reports.first)
        let result = report.resolved().symbolicated([
            0: [.init(name: "peel", line: 3, isInlined: true), .init(name: "eat", distance: 8)]
        ])
        let edits = report.edits(with: result)
        #expect(edits.contains { $0.bytes.text.contains("peel") })
        #expect(edits.reduce(0) { $0 + $1.bytes.count } < 1_000)
    }
}
