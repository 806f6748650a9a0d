import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import Testing

@Suite("KSCrash reports")
struct KSCrashTests {
    private static let images =
        #""binary_images":[{"image_addr":4096,"image_size":8192,"name":"/a/Orchard.app/Orchard","#
        + #""uuid":"4C4C4481-5555-3144-A199-BFCEAE3FE729","cpu_type":16777228,"cpu_subtype":0},"#
        + #"{"image_addr":65536,"image_size":4096,"name":"/b/libpress","cpu_type":12,"#
        + #""cpu_subtype":9,"uuid":"5C4C4481-5555-3144-A199-BFCEAE3FE729"}],"#
    private static let frames =
        #"{"object_name":"Orchard","object_addr":4096,"instruction_addr":4112},"#
        + #"{"object_name":"libpress","object_addr":65536,"symbol_name":"press","#
        + #""symbol_addr":65540,"instruction_addr":65553},"#
        + #"{"instruction_addr":4128},{"object_name":"x","instruction_addr":7}"#

    private static func report(error: String, time: String = "\"2026-11-20T08:31:06Z\"") -> String {
        #"{"report":{"version":{"major":3},"timestamp":\#(time)},"# + images
            + #""system":{"cpu_arch":"arm64","system_name":"iOS","system_version":"18.1","#
            + #""os_version":"22B83"},"crash":{"error":\#(error),"threads":[{"crashed":true,"#
            + #""index":0,"dispatch_queue":"orchard","backtrace":{"contents":[\#(frames)],"#
            + #""skipped":3}},{"crashed":false,"index":1}]}}"#
    }

    private static let signal = #"{"type":"signal","signal":{"signal":11}}"#

    private func diagnostic(_ text: String) throws -> Diagnostic {
        try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
    }

    @Test("a frame past the end of its named image is found by address")
    func namedImageEnds() throws {
        let text = Self.report(error: Self.signal).replacing(
            #"{"instruction_addr":4128}"#, with: #"{"object_addr":4096,"instruction_addr":65569}"#)
        let frame = try #require(try diagnostic(text).tree.frames.dropFirst(2).first)
        #expect(frame.imageName == "libpress")
        #expect(frame.site == .returnAddress(ImageOffset(32)))
    }

    @Test(
        "of images with one load address, a frame names the first with an identity, or its own",
        arguments: [
            ("x", "Orchard"), ("Orchard", "Orchard"), ("Twin", "Twin"), ("Zero", "Orchard"),
        ])
    func sharedBase(name: String, expected: String) throws {
        let zero = "00000000-0000-0000-0000-000000000000"
        let more = [("None", nil), ("Zero", zero)]
            .map { name, uuid in
                #"{"image_addr":4096,"image_size":8192,"name":"/a/\#(name)""#
                    + (uuid.map { #","uuid":"\#($0)""# } ?? "") + "},"
            }
        let twin =
            #"{"image_addr":4096,"image_size":8192,"name":"/a/Twin","#
            + #""uuid":"6C4C4481-5555-3144-A199-BFCEAE3FE729"},"#
        let text = Self.report(error: Self.signal)
            .replacing(#""binary_images":["#, with: #""binary_images":["# + more.joined())
            .replacing(#"{"image_addr":65536"#, with: twin + #"{"image_addr":65536"#)
            .replacing(#"{"object_name":"Orchard""#, with: #"{"object_name":"\#(name)""#)
        #expect(try diagnostic(text).tree.frames.first?.imageName == expected)
    }

    @Test("a frame without a valid address keeps its place", arguments: ["-5", "null", #""x""#])
    func lostAddress(address: String) throws {
        let text = Self.report(error: Self.signal).replacing(
            #""instruction_addr":4112"#, with: #""instruction_addr":\#(address)"#)
        let diagnostic = try diagnostic(text)
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                nil, .returnAddress(ImageOffset(16)), .returnAddress(ImageOffset(32)), nil,
            ])
        #expect(diagnostic.tree.frames.first?.image == diagnostic.images.first?.id)
    }

    @Test("a frame is found by its image's start, or else by address")
    func frames() throws {
        let diagnostic = try diagnostic(Self.report(error: Self.signal))
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                .programCounter(ImageOffset(16)), .returnAddress(ImageOffset(16)),
                .returnAddress(ImageOffset(32)), nil,
            ])
        #expect(diagnostic.tree.frames.map(\.imageName) == ["Orchard", "libpress", "Orchard", "x"])
        #expect(
            diagnostic.tree.reportedFunctions[1] == [ReportedFunction(name: "press", distance: 13)])
        try #require(diagnostic.tree.frames.count == 4)
        #expect(diagnostic.tree.frames[3].remarks == [.framesOmitted])
        #expect(
            diagnostic.details.sections.map(\.lines) == [["Omitted Frames:", "thread 0: 3 frames"]])
        #expect(diagnostic.tree.stacks.map(\.name) == ["orchard", nil])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [true, false])
        #expect(diagnostic.images.map(\.architecture) == ["arm64", "armv7"])
        #expect(diagnostic.details.osVersion == "iOS 18.1 (22B83)")
        #expect(diagnostic.details.signal == 11)
    }

    @Test(
        "the stack of an exception has return addresses only",
        arguments: ["nsexception", "cpp_exception"])
    func thrown(type: String) throws {
        let error = #"{"type":"\#(type)","\#(type)":{"name":"Rotten"},"reason":"it's brown"}"#
        let diagnostic = try diagnostic(Self.report(error: error))
        try #require(!diagnostic.tree.frames.isEmpty)
        #expect(diagnostic.tree.frames[0].site == .returnAddress(ImageOffset(16)))
        #expect(diagnostic.details.objectiveCExceptionName == "Rotten")
        #expect(diagnostic.details.objectiveCExceptionMessage == "it's brown")
    }

    @Test(
        "exception and signal may be numbers, digits or names, in objects or alone",
        arguments: [
            #""mach":{"exception":1},"signal":{"signal":11}"#,
            #""mach":{"exception":"1"},"signal":{"signal":"11"}"#,
            #""mach":{"exception":"EXC_BAD_ACCESS"},"signal":{"name":"SIGSEGV"}"#,
            #""mach":"EXC_BAD_ACCESS","signal":"SIGSEGV""#, #""mach":1,"signal":11"#,
        ])
    func exceptionAndSignal(words: String) throws {
        let diagnostic = try diagnostic(Self.report(error: "{\"type\":\"mach\",\(words)}"))
        #expect(diagnostic.details.exceptionType == 1)
        #expect(diagnostic.details.signal == 11)
        #expect(diagnostic.details.exceptionName == nil)
    }

    @Test("an exception of another kind that is null is ignored")
    func nullException() throws {
        let error =
            #"{"type":"cpp_exception","nsexception":null,"cpp_exception":{"name":"Rotten"}}"#
        let diagnostic = try diagnostic(Self.report(error: error))
        #expect(diagnostic.details.objectiveCExceptionName == "Rotten")
    }

    @Test(
        "times in any of three units are read, and wrong ones are ignored",
        arguments: [
            ("1763627466", "2025-11-20T08:31:06Z"), ("1763627466000", "2025-11-20T08:31:06Z"),
            ("1763627466000000", "2025-11-20T08:31:06Z"), ("1480512", nil),
            ("\"1970-01-18T04:18:32Z\"", nil), ("99999999999999999999", nil),
            ("18446744073709551615", nil),
        ])
    func time(text: String, expected: String?) throws {
        let diagnostic = try diagnostic(Self.report(error: Self.signal, time: text))
        #expect(diagnostic.details.timestamp == expected)
    }

    @Test("an extra comma or a missing end is tolerated")
    func damaged() throws {
        let text = Self.report(error: Self.signal)
        let comma = try diagnostic(String(text.dropLast()) + ",}")
        #expect(comma.remarks.isEmpty)
        #expect(comma.tree.frames.count == 4)
        let cut = try #require(text.firstRange(of: "{\"instruction_addr\":4128"))
        let short = try diagnostic(String(text[..<cut.lowerBound]))
        #expect(short.remarks == [.jsonTruncated])
        #expect(short.tree.frames.count == 2)
    }

    @Test("a memory report without images and frames is a report")
    func outOfMemory() throws {
        let text =
            #"{"crash":{"error":{"type":"memory_termination","signal":{"signal":9}}},"system":{}}"#
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.kind == .memoryException)
        #expect(diagnostic.tree.frames.isEmpty)
    }

    @Test("the report being written when the reporter crashed is read too")
    func recrash() throws {
        let inner =
            #"{"crash":{"error":\#(Self.signal),"crashed_thread":{"backtrace":{"contents":"#
            + #"[\#(Self.frames)]}}},"report":{}}"#
        let text = Self.report(error: Self.signal).dropLast() + #","recrash_report":\#(inner)}"#
        let file = CrashFileReader().read(bytes(String(text)))
        #expect(file.reports.map(\.label) == [nil, "recrash_report"])
        try #require(file.diagnostics.map(\.tree.frames.count) == [4, 4])
        #expect(file.diagnostics[1].tree.frames[0].image != nil)
    }

    @Test("the number of frames stays the same, and functions are stored under one key")
    func written() throws {
        let text = Self.report(error: Self.signal)
        let file = CrashFileReader().read(bytes(text))
        let result = try #require(file.diagnostics.first).symbolicated([
            0: [
                .init(name: "peel", line: 3, isInlined: true),
                .init(name: "eat", distance: 8, line: 4),
            ],
            1: [.init(name: "squeeze", distance: 4)],
        ])
        let written = try #require(file.reports.first).edits(with: result).applied(to: bytes(text))
        #expect(
            written.text
                == text.replacing(
                    #""instruction_addr":4112}"#,
                    with: #""instruction_addr":4112,"symbol_name":"eat","symbol_addr":4104,"#
                        + #""symbolist":{"file":"/src/Orchard.swift","line":4,"inlined":["#
                        + #"{"symbol":"peel","file":"/src/Orchard.swift","line":3}]}}"#
                ).replacing(
                    #""symbol_name":"press","symbol_addr":65540,"instruction_addr":65553}"#,
                    with: #""symbol_name":"squeeze","symbol_addr":65548,"instruction_addr":65553,"#
                        + #""symbolist":{"was":{"symbol_name":"press","symbol_addr":65540}}}"#))
        let again = CrashFileReader().read(written)
        #expect(try #require(again.reports.first).edits(with: result).isEmpty)
        #expect(again.diagnostics.first?.tree.reportedFunctions[0]?.map(\.name) == ["peel", "eat"])
    }
}
