import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFormats
import Testing

/// Cases that the fixtures do not have: waiting, infinite recursion, other systems.
@Suite("Other Swift backtraces")
struct SwiftTraceTests {
    private let images = """

        Images (only mentioned):

        0x0000555555554000–0x0000555555557b30 988da272efc8924d7f19aff83dd4107d9ff2947d engine /srv/orchard/engine

        Backtrace took 0.01s

        """

    private func diagnostic(_ text: String) throws -> Diagnostic {
        try #require(CrashFileReader().read(Array(text.utf8)).reports.first).resolved()
    }

    @Test("return addresses are looked up in the call, and resume points unchanged")
    func sites() throws {
        let trace = """
            *** Program crashed: Illegal instruction at 0x0000555555556119 ***

            Thread 2 "waiter" crashed:

            0         0x0000555555556119
            1 [ra]    0x0000555555556ee9
            2 [async] 0x0000555555556c1f
            3 [ra]    0x0000111111111111
            """
        let diagnostic = try diagnostic(trace + "\n" + images)
        let sites = diagnostic.tree.frames.map(\.site)
        #expect(
            sites == [
                .programCounter(ImageOffset(0x2119)), .returnAddress(ImageOffset(0x2ee9)),
                .programCounter(ImageOffset(0x2c1f)), nil,
            ])
        #expect(diagnostic.tree.stacks.map(\.index) == [2])
        #expect(diagnostic.tree.stacks.first?.name == "waiter")
        #expect(diagnostic.details.processName == nil)
    }

    @Test(
        "a backtrace in a file of its own lacks the signal, which its description names",
        arguments: [
            ("Illegal instruction at 0x0000555555556119", "SIGILL"), ("System trap", "SIGTRAP"),
            ("Bad pointer dereference at 0x0000000000000010", "SIGSEGV"), ("Aborted", "SIGABRT"),
            ("Bus error at 0x0000555555556119", "SIGBUS"), ("Aborted by the press", nil),
            ("Floating point exception", "SIGFPE"), ("Quit", "SIGQUIT"), ("Quitting", nil),
        ])
    func describedSignal(description: String, name: String?) throws {
        let frames = "Thread 0 crashed:\n\n0 0x0000555555556119\n\(images)"
        let details = try diagnostic("*** Program crashed: \(description) ***\n\n\(frames)").details
        let signal = name.flatMap { DarwinSignal(name: $0)?.rawValue }
        #expect(details.signal == signal)
        let json =
            #"{"kind":"crashReport","description":"\#(description)","threads":["#
            + #"{"crashed":true,"frames":[{"kind":"programCounter","address":"0x1000"}]}]}"#
        #expect(try diagnostic(json).details.signal == signal)
    }

    @Test("an address in JSON may be a number")
    func numericAddress() throws {
        let json =
            #"{"kind":"crashReport","threads":[{"crashed":true,"frames":["#
            + #"{"kind":"programCounter","address":4112}]}],"images":[{"name":"engine","#
            + #""buildId":"988da272efc8924d7f19aff83dd4107d9ff2947d","#
            + #""baseAddress":"0x1000","endOfText":"0x2000"}]}"#
        #expect(
            try diagnostic(json).tree.frames.map(\.site) == [.programCounter(ImageOffset(16))])
    }

    @Test("a gap in the numbers keeps its length")
    func gap() async throws {
        let trace = """
            *** Program crashed: Bad pointer dereference at 0x00007ffc0f5bbff8 ***

            Thread 0 "engine" crashed:

                 0      0x0000555555556c1f
                 1 [ra] 0x0000555555556c1f
                 2      ...
            261812 [ra] 0x0000555555556c1f
            261813      ...
            """
        let written = await RewrittenFile(trace + "\n" + images)
        let table = written.text.split(separator: "\n").dropFirst(2).prefix(5)
        #expect(
            table == [
                "     0 [system] 0x0000555555556c1f lookUp(_:in:) + 255 in engine at /Users/ci/orchard/Linux/Engine.swift",
                "     1 [ra]     0x0000555555556c1f lookUp(_:in:) + 254 in engine at /Users/ci/orchard/Linux/Engine.swift:47:16",
                "   ...",
                "261812 [ra]     0x0000555555556c1f lookUp(_:in:) + 254 in engine at /Users/ci/orchard/Linux/Engine.swift:47:16",
                "   ...",
            ])
        #expect(await RewrittenFile(written.bytes).text == written.text)
        #expect(written.results.first?.frames.dropFirst().first?.remarks.first == .framesOmitted)
        #expect(written.results.first?.exceptionName == "SIGSEGV")
    }

    @Test("rows of inlined calls, and no others, are merged into one frame")
    func folding() throws {
        let trace = """
            *** Swift runtime failure: Index out of range ***

            Thread 0 "engine" crashed:

              0 [inlined] [system] 0x0000555555556119 Array.subscript.getter in engine at //<compiler-generated>
              1 [inlined]          0x0000555555556119 part(_:) in engine at /src/Engine.swift:22:14
              2                    0x0000555555556119 run(_:) + 48 in engine at /src/Engine.swift:32:9
              3 [ra]               0x0000555555556119 run(_:) + 47 in engine at /src/Engine.swift:32:9
              4 [ra]               0x0000555555556119 run(_:) + 47 in engine at /src/Engine.swift:32:9
            ...
            """
        let diagnostic = try diagnostic(trace + "\n" + images)
        #expect(diagnostic.tree.frames.count == 3)
        #expect(diagnostic.tree.reportedFunctions[0]?.map(\.isInlined) == [true, true, false])
        #expect(diagnostic.details.runtimeMessage == "Index out of range")
        #expect(diagnostic.tree.frames.map(\.remarks) == [[], [], []])
    }

    @Test("rows of the friendly preset have no addresses, and stay unchanged")
    func friendly() async throws {
        let trace = """
            *** Program crashed: Illegal instruction at 0x0000555555556119 ***

            Thread 0 "engine" crashed:

              0 part(_:) in engine at /src/Engine.swift:22:14

                 20|     @inline(__always)
              *  22|     parts[index]
                 23|

              1 0x0000555555556c1f run(_:) + 36 in engine
            ...
            """
        let text = trace + "\n" + images
        let written = await RewrittenFile(text)
        #expect(written.text == text)
        #expect(written.file.reports.count == 1)
    }

    @Test("rows without attributes have return addresses after the first frame")
    func withoutAttributes() async throws {
        let trace = """
            *** Program crashed: Illegal instruction at 0x0000555555556119 ***

            Thread 0 "engine" crashed:

            0 0x0000555555556119
            1 0x0000555555556c1f
            2 ...
            """
        let written = await RewrittenFile(trace + "\n" + images)
        let table = written.text.split(separator: "\n").dropFirst(2).prefix(3)
        #expect(
            table == [
                "  0 0x0000555555556119 static EngineApp.$main() + 9 in engine at <compiler-generated>",
                "  1 0x0000555555556c1f lookUp(_:in:) + 254 in engine at /Users/ci/orchard/Linux/Engine.swift:47:16",
                "...",
            ])
        #expect(await RewrittenFile(written.bytes).text == written.text)
    }

    @Test("a JSON backtrace on a terminal follows the words that introduce it")
    func objectOnTerminal() async throws {
        let text = try SwiftBacktraceFixture.deep.text("backtrace.json")
        let announced =
            "\u{1f4a3} \u{1b}[91mProgram crashed: Signal 4: Backtracing from 0x7f...\u{1b}[0m\r\u{1b}[0K"
        let line = try #require(text.firstRange(of: "*** Signal 4"))
        let brace = try #require(text.firstRange(of: "{ \"timestamp\""))
        let start = String(text[..<line.lowerBound]) + announced
        let written = await RewrittenFile(start + String(text[brace.lowerBound...]))
        let plain = await RewrittenFile(text)
        #expect(written.text == start + String(plain.text.drop { $0 != "{" }))
        #expect(written.results == plain.results)
    }

    @Test("a truncated backtrace has a remark, and so does a missing image list")
    func cut() async throws {
        let text = try SwiftBacktraceFixture.deep.text()
        let cut = String(try #require(text.components(upTo: "Images (")))
        let written = await RewrittenFile(cut)
        #expect(written.text == cut)
        #expect(written.results.first?.remarks == [.noImageList, .textTruncated])
        #expect(written.results.first?.frames.allSatisfy { $0.status == .unknownImage } == true)
    }

    @Test("signals are numbered as on their system", arguments: [("Linux", 7), ("macOS 15.1", 10)])
    func signals(system: String, number: Int) throws {
        let trace = """
            *** Signal \(number): Backtracing from 0x555555556119... done ***

            *** Program crashed: Bus error at 0x0000555555556119 ***

            Platform: arm64 \(system) (24B83)

            Thread 0 crashed:

            0 0x0000555555556119
            """
        let details = try diagnostic(trace + "\n" + images).details
        #expect(details.signal == DarwinSignal(name: "SIGBUS")?.rawValue)
        #expect(details.exceptionSubtype == "Bus error at 0x0000555555556119")
        #expect(details.architecture == "arm64")
    }

    @Test("signals that only Linux has are named, and others are numbered")
    func rareSignals() throws {
        for (number, name) in [("16", "SIGSTKFLT"), ("42", "signal 42")] {
            let trace = """
                *** Signal \(number): Backtracing from 0x555555556119... done ***

                *** Program crashed: something at 0x0000555555556119 ***

                Thread 0 crashed:

                0 0x0000555555556119
                """
            let details = try diagnostic(trace + "\n" + images).details
            #expect(details.signal == nil)
            #expect(details.exceptionName == name)
        }
    }

    @Test("frames and threads are read up to the limits, and the rest stays unchanged")
    func limits() async throws {
        var reader = CrashFileReader()
        reader.limits.framesPerTree = 4
        let bytes = try SwiftBacktraceFixture.deep.bytes()
        let written = await RewrittenFile(bytes, limits: reader)
        #expect(written.results.first?.remarks.contains(.frameLimit) == true)
        #expect(written.bytes == bytes)
        reader.limits.framesPerTree = 200_000
        reader.limits.stacksPerTree = 0
        #expect(reader.read(bytes).reports.isEmpty)
    }

    @Test("a backtrace of ten thousand frames is read and rewritten")
    func long() async throws {
        let rows = (1..<10_000).map { "\($0) [ra] 0x0000555555556c1f\n" }
        let trace = """
            *** Program crashed: Bad pointer dereference at 0x00007ffc0f5bbff8 ***

            Thread 0 "engine" crashed:

            0 0x0000555555556c1f

            """
        let written = await RewrittenFile(trace + rows.joined() + images)
        let lines = written.text.split(separator: "\n")
        #expect(written.results.first?.frames.count == 10_000)
        #expect(
            lines.dropFirst(10_001).first
                == "9999 [ra]     0x0000555555556c1f lookUp(_:in:) + 254 in engine at /Users/ci/orchard/Linux/Engine.swift:47:16"
        )
    }
}

extension String {
    fileprivate func components(upTo text: String) -> Substring? {
        firstRange(of: text).map { self[..<$0.lowerBound] }
    }
}
