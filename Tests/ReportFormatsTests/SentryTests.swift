import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

@Suite("Events of Sentry")
struct SentryTests {
    private static let event = #"""
        {"event_id":"1","platform":"native","release":"1.4.0",
         "exception":{"values":[{"type":"SIGSEGV","value":"Segfault","stacktrace":{"frames":[
           {"instruction_addr":"0x5555555554c7","package":"/src/cellar","in_app":true},
           {"instruction_addr":"0x555555555392","function":"<redacted>","package":"/src/cellar"}]}}]},
         "debug_meta":{"images":[{"type":"elf","code_file":"/src/cellar","image_addr":"0x555555554000",
           "image_size":20480,"code_id":"2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000001",
           "debug_id":"7c0b1f2e-8e9d-1f2e-0b7c-9d8e2e1f0b7c"}]}}
        """#

    private func report(_ text: String) throws -> CrashReport {
        try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
    }

    private func written(_ text: String) throws -> String {
        let report = try report(text)
        let result = report.resolved().symbolicated([
            0: [
                FoundFunction(name: "tapped", line: 19, isInlined: true),
                FoundFunction(name: "burst", distance: 18, line: 92),
            ],
            1: [FoundFunction(name: "main", distance: 251, line: 114)],
        ])
        var budget = EditBudget(fileByteCount: text.utf8.count)
        let edits = report.edits(with: result, budget: &budget)
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test("are read innermost frame first, in the images of their list")
    func read() throws {
        let report = try report(Self.event)
        #expect(report.format == .sentryEvent)
        let diagnostic = report.resolved()
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                .programCounter(ImageOffset(0x1392)), .returnAddress(ImageOffset(0x14c7)),
            ])
        try #require(!diagnostic.tree.frames.isEmpty)
        #expect(diagnostic.tree.frames[0].image?.bytes.count == 20)
        #expect(diagnostic.details.exceptionName == "SIGSEGV")
        #expect(diagnostic.tree.reportedFunctions.isEmpty)
    }

    @Test("get functions under Sentry's keys, inlined calls last, and no more the second time")
    func same() throws {
        let once = try written(Self.event)
        let main = try #require(once.firstRange(of: #""function":"main""#))
        let burst = try #require(once.firstRange(of: #""function":"burst""#))
        let tapped = try #require(once.firstRange(of: #""function":"tapped""#))
        #expect(main.lowerBound < burst.lowerBound && burst.lowerBound < tapped.lowerBound)
        #expect(once.contains(#""filename":"Orchard.swift""#))
        #expect(once.contains(#""lineno":19"#))
        #expect(try report(once).resolved().tree.frames.count == 2)
        #expect(try written(once) == once)
    }

    @Test(
        "get inlined calls without a file once, also in frames with numbers as addresses",
        arguments: [false, true])
    func compilerGenerated(hasNumbers: Bool) throws {
        var text = Self.event
        if hasNumbers {
            text = text.replacing("\"0x5555555554c7\"", with: "93824992236743")
                .replacing("\"0x555555555392\"", with: "93824992236434")
        }
        func written(_ text: String) throws -> String {
            let report = try report(text)
            let result = report.resolved().symbolicated([
                0: [
                    FoundFunction(name: "outlined", isInlined: true),
                    FoundFunction(name: "burst", distance: 18),
                ]
            ])
            var budget = EditBudget(fileByteCount: text.utf8.count)
            let edits = report.edits(with: result, budget: &budget)
            return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
        }
        let once = try written(text)
        #expect(once.contains(#""function":"outlined""#))
        #expect(try report(once).resolved().tree.frames.count == 2)
        #expect(try written(once) == once)
    }

    @Test("belong to the last exception with a stack, on the thread that it names")
    func causes() throws {
        let text = Self.event.replacing(
            #"{"type":"SIGSEGV","#, with: #"{"type":"NSError"},{"type":"SIGSEGV","thread_id":7,"#
        ).replacing(
            #""debug_meta""#,
            with: #""threads":{"values":[{"id":7,"name":"main","crashed":true}]},"debug_meta""#)
        let stacks = try report(text).resolved().tree.stacks
        #expect(stacks.map(\.isAttributed) == [true])
        #expect(stacks.map(\.name) == ["main"])
        #expect(stacks.map(\.index) == [7])
    }

    @Test("may have lists instead of objects with values")
    func lists() throws {
        let text = Self.event.replacing(#"{"values":["#, with: "[").replacing(
            "}]}}]},", with: #"}]}}],"threads":[],"#)
        let report = try report(text)
        #expect(report.format == .sentryEvent)
        #expect(report.resolved().tree == (try self.report(Self.event)).resolved().tree)
    }

    @Test("may have offsets in an image that a frame gives by its number")
    func relative() throws {
        let text = Self.event.replacing(
            #""instruction_addr":"0x55555555"#,
            with: #""addr_mode":"rel:0","instruction_addr":"0x"#
        ).replacing("0x54c7", with: "0x14c7").replacing("0x5392", with: "0x1392")
        let frames = try report(text).resolved().tree.frames
        let expected = try report(Self.event).resolved().tree.frames
        #expect(frames.map(\.site) == expected.map(\.site))
        #expect(frames.map(\.image) == expected.map(\.image))
        #expect(frames.map(\.address) == expected.map(\.address))
        let other = text.replacing("rel:0", with: "rel:9")
        #expect(try report(other).resolved().tree.frames.allSatisfy { $0.site == nil })
    }

    /// The event as the web API returns it, with its spelling of the keys.
    private static let apiEvent = #"""
        {"id":"1","eventID":"1","platform":"native","dateCreated":"2026-11-24T18:00:00Z",
         "release":{"version":"1.4.0"},"entries":[
         {"type":"message","data":{"formatted":"Segfault"}},
         {"type":"exception","data":{"values":[{"type":"SIGSEGV","value":"Segfault","threadId":7,
          "stacktrace":{"frames":[
           {"filename":null,"absPath":null,"package":"/src/cellar","instructionAddr":"0x5555555554c7",
            "function":null,"symbol":null,"lineNo":null,"colNo":null,"inApp":true},
           {"filename":null,"absPath":null,"package":"/src/cellar","instructionAddr":"0x555555555392",
            "function":"<redacted>","symbol":null,"lineNo":null,"colNo":null,"inApp":true}]},
          "rawStacktrace":null}]}},
         {"type":"threads","data":{"values":[{"id":7,"name":"main","crashed":true,"stacktrace":null}]}},
         {"type":"debugmeta","data":{"images":[{"type":"elf","code_file":"/src/cellar",
          "image_addr":"0x555555554000","image_size":20480,
          "code_id":"2e1f0b7c9d8e2e1f0b7c9d8e2e1f0b7c00000001",
          "debug_id":"7c0b1f2e-8e9d-1f2e-0b7c-9d8e2e1f0b7c"}]}}]}
        """#

    @Test("may be those of the web API, with entries and keys in camel case")
    func webAPI() throws {
        let report = try report(Self.apiEvent)
        #expect(report.format == .sentryEvent)
        let diagnostic = report.resolved()
        let expected = try self.report(Self.event).resolved()
        #expect(diagnostic.tree.frames == expected.tree.frames)
        #expect(diagnostic.tree.stacks.map(\.name) == ["main"])
        #expect(diagnostic.tree.stacks.map(\.index) == [7])
        #expect(diagnostic.images == expected.images)
        #expect(diagnostic.details.exceptionName == "SIGSEGV")
        #expect(diagnostic.details.appVersion == "1.4.0")
        #expect(diagnostic.details.timestamp == "2026-11-24T18:00:00Z")
    }

    @Test("of the web API get functions under its keys, and no more the second time")
    func sameOfWebAPI() throws {
        let once = try written(Self.apiEvent)
        #expect(once.contains(#""lineNo":114"#) && once.contains(#""absPath":"#))
        #expect(!once.contains("lineno") && !once.contains("instruction_addr"))
        #expect(
            once.contains(
                #""instructionAddr":"0x555555555392","package":"/src/cellar","inApp":true"#))
        #expect(try report(once).resolved().tree.frames.count == 2)
        #expect(try written(once) == once)
    }

    @Test("are read as far as possible if they are truncated")
    func damaged() {
        for whole in [Self.event, Self.apiEvent].map({ Array($0.utf8) }) {
            for place in 0..<whole.count {
                for report in CrashFileReader().read(Array(whole[..<place])).reports {
                    #expect(report.resolved().tree.frames.count <= 2)
                }
            }
        }
    }

    @Test("without images are none")
    func unfit() {
        let file = CrashFileReader().read(
            Array(#"{"exception":{"values":[]},"debug_meta":{}}"#.utf8))
        #expect(!file.reports.contains { $0.format == .sentryEvent })
    }
}
