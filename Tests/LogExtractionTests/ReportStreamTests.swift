import TestSupport
import Testing

@testable import LogExtraction

@Suite("Reports in a stream")
struct ReportStreamTests {
    /// The pieces of a text that arrives in parts: lines unchanged, reports between brackets.
    private func pieces(_ text: String, partLength: Int = 7, byteLimit: Int = 64 << 20) -> String {
        var stream = ReportStream(byteLimit: byteLimit)
        var words = ""
        var rest = Array(text.utf8)[...]
        var pieces: [ReportStream.Piece] = []
        while !rest.isEmpty {
            pieces += stream.add(Array(rest.prefix(partLength)))
            rest = rest.dropFirst(partLength)
        }
        for piece in pieces + stream.end() {
            switch piece {
            case .lines(let bytes): words += String(decoding: bytes, as: UTF8.self)
            case .report(let bytes): words += "<<\(String(decoding: bytes, as: UTF8.self))>>"
            case .cut: break
            }
        }
        return words
    }

    private let trace = """
        *** Program crashed: Illegal instruction at 0x0000000000401000 ***
        Thread 0 "orchard" crashed:
        0 0x0000000000401000 pick() in orchard at /src/main.swift:3:5
        Images:
        0x0000000000400000–0x0000000000402000 58c59e1e0b84bfb608500aab85635a597b6fd64b orchard /app/orchard
        Backtrace took 0.01s

        """

    @Test("ordinary lines are passed on as soon as they are complete")
    func lines() {
        var stream = ReportStream()
        #expect(stream.add(Array("one\ntw".utf8)) == [.lines(Array("one\n".utf8))])
        #expect(stream.add(Array("o\n".utf8)) == [.lines(Array("two\n".utf8))])
        #expect(stream.add(Array("three".utf8)) == [])
        #expect(stream.end() == [.lines(Array("three".utf8))])
    }

    @Test("a new stream begins after an end")
    func behindEnd() {
        var stream = ReportStream()
        #expect(stream.add(Array("half a line".utf8)) == [])
        #expect(stream.end() == [.lines(Array("half a line".utf8))])
        #expect(stream.add(Array("one\n".utf8)) == [.lines(Array("one\n".utf8))])
    }

    @Test(
        "a backtrace is buffered to its last line, however it is split",
        arguments: [1, 7, 999])
    func trace(partLength: Int) {
        let text = "before 1\nbefore 2\n\(trace)after\n\(trace)"
        #expect(
            pieces(text, partLength: partLength)
                == "before 1\nbefore 2\n<<\(trace)>>after\n<<\(trace)>>")
    }

    @Test("a report without an end ends when no addresses follow for long, and nothing is lost")
    func idle() {
        let open = "Thread 0 Crashed:\n0   Orchard  0x1000 0x0 + 4096\n"
        let log = (0..<300).map { "line \($0)\n" }.joined()
        #expect(pieces("log\n\(open)\(log)") == "log\n<<\(open)>>\(log)")
        let short = (0..<100).map { "line \($0)\n" }.joined()
        #expect(pieces(open + short) == "<<\(open)\(short)>>")
    }

    @Test("the trees of a spindump without a header begin a report", arguments: ["", "    ", "> "])
    func trees(prefix: String) {
        let tree =
            "\(prefix)  Thread 0x1    9 samples\n\(prefix)  9  ??? (a + 16) [0x104a30210] 1\n"
        #expect(pieces("log\n\(tree)") == "log\n<<\(tree)>>")
        let nodes = tree.split(separator: "\n").dropFirst().joined() + "\n"
        #expect(pieces("log\n\(nodes)") == "log\n<<\(nodes)>>")
    }

    @Test("a header without a kind of report belongs to the body below it")
    func headerWithoutKind() {
        let header = #"{"incident_id":"A","os_version":"macOS 26.1"}"# + "\n"
        let body = "{\n\"threads\": [],\n\"usedImages\": []\n}\n"
        #expect(pieces(header + body) == "<<\(header)\(body)>>")
        let record = #"{"incident_id":"A","os_version":"macOS 26.1","message":"m"}"# + "\n"
        #expect(!pieces(record + "ready\n").contains("ready\n>>"))
    }

    @Test("a tree that was encoded twice is a report")
    func encodedTwice() {
        let tree = #""{\"callStackTree\":{\"callStacks\":[]}}""# + "\n"
        #expect(pieces(tree) == "<<\(tree)>>")
        #expect(pieces("\"ready\"\n\"{\n") == "\"ready\"\n\"{\n")
    }

    @Test("frame lines end with the first other line")
    func rows() {
        let rows = "0   Orchard  0x0000000104a30484 0x104a30000 + 1156\n"
        #expect(pieces("a\n\(rows)\(rows)b\n") == "a\n<<\(rows)\(rows)>>b\n")
    }

    @Test("frames without a name are frames")
    func namelessRows() {
        let rows = """
              0  CoreFoundation   0x00000001823b0f60 <redacted> + 148
              1  DemoApp          0x100b32844        handle (in DemoApp) (main.m:14)
              2  libobjc.A.dylib  0x000000019785bf80 objc_exception_throw + 56

            """
        #expect(pieces("(\n\(rows))\n") == "(\n<<\(rows)>>)\n")
    }

    @Test("a tombstone is buffered to the end of its memory and maps")
    func tombstone() {
        let memory = (0..<150).map { _ in
            "    000000775ba00c90 000000754c402278  x...\n"
                + "    0000007a'1514d000-0000007a'15150fff r--  0  4000  /system/lib64/libc.so\n"
                + "    fd 89: /dev/ashmem\n"
        }.joined()
        let text = """
            *** *** *** *** *** *** *** ***
            Build fingerprint: 'orchard/device'
            pid: 1, tid: 1, name: main  >>> orchard <<<
                  #00 pc 00000000000092a0  /data/app/orchard.so
            \(memory)--- --- --- --- --- --- --- ---
            pid: 1, tid: 2, name: worker  >>> orchard <<<
                  #00 pc 00000000000092a4  /data/app/orchard.so

            """
        #expect(pieces(text) == "<<\(text)>>")
        let frames = "backtrace:\n      #00 pc 00000000000092a0  /data/app/orchard.so\n"
        #expect(pieces("ready\n" + frames).hasPrefix("ready\nbacktrace:\n<<      #00 pc "))
    }

    @Test("the full report after its translation belongs to it")
    func fullReport() {
        let text = "Process:  Orchard [4711]\nThread 0:\n0   Orchard   0x1020 press + 16\n\nEOF\n"
        let rule = "-----------\n"
        let full = "\n\(rule)Full Report\n\(rule)\n{\"bug_type\":\"309\"}\n{\n\"threads\": []\n}\n"
        let translated = "\(rule)Translated Report (Full Report Below)\n\(rule)\n\(text)"
        #expect(pieces(translated + full) == "<<\(translated)\(full)>>")
        #expect(pieces("\(text)\nready\n") == "<<\(text)>>\nready\n")
        #expect(pieces("\(text)\n\(rule)ready\n") == "<<\(text)>>\n\(rule)ready\n")
    }

    @Test("frames printed by a program are buffered with the exception before them")
    func exception() {
        let text =
            "*** Terminating app due to uncaught exception 'Rotten', reason: 'brown'\n"
            + "*** First throw call stack:\n(\n\t0   Orchard   0x0000000000001020 press + 16\n"
        #expect(pieces("one\n" + text + ")\ntwo\n") == "one\n<<" + text + ">>)\ntwo\n")
        let raw = text.replacing("\t0   Orchard   0x0000000000001020 press + 16", with: "0x1020")
        #expect(pieces(raw) == raw)
    }

    @Test("a quoted report is buffered")
    func quoted() {
        let text = "> Process:  Orchard [4711]\n> Thread 0:\n> 0   Orchard   0x1020 press + 16\n"
        #expect(pieces("It broke\n" + text) == "It broke\n<<" + text + ">>")
    }

    @Test("JSON over several lines is one report, and so is JSON on one line")
    func json() {
        let pretty = "{\n  \"callStackTree\": {}\n}\n"
        #expect(pieces(pretty) == "<<\(pretty)>>")
        let header = "{\"bug_type\":\"309\"}\n{\n\"threads\": []\n}\n"
        #expect(pieces(header) == "<<\(header)>>")
        #expect(pieces("prose\n\(header)") == "prose\n<<\(header)>>")
        let line = "{\"callStacks\": []}\n"
        #expect(pieces(line + line) == "<<\(line)>><<\(line)>>")
    }

    @Test("a log of JSON records is passed on line by line, and a backtrace in it is buffered")
    func records() {
        let plain = "{\"log\":\"all is well\\n\",\"stream\":\"stderr\"}\n"
        let lines = trace.split(separator: "\n").map {
            "{\"log\":\"\($0.replacing("\"", with: "\\\""))\\n\",\"stream\":\"stderr\"}\n"
        }.joined()
        #expect(pieces(plain + lines + plain) == "\(plain)<<\(lines)>>\(plain)")
    }

    /// A record for each line.
    private func records(_ text: String) -> String {
        text.split(separator: "\n").map {
            "{\"level\":1,\"message\":\"\($0.replacing("\"", with: "\\\""))\"}\n"
        }.joined()
    }

    @Test(
        "log records that contain one of Apple's reports are buffered to its end",
        arguments: [
            "Incident Identifier: 1\nThread 0 Crashed:\n0 Orchard 0x1010 0x1000 + 16\nEOF\n",
            "Process: Orchard [1]\nPath: /A\nThread 0:\n0 Orchard 0x1010 0x1000 + 16\nEOF\n",
            "{\"bug_type\":\"309\"}\n{\n  \"threads\" : [\n  ]\n}\n",
        ])
    func recordedReport(text: String) {
        let plain = records("Process: is running\nall is well")
        let report = records(text)
        #expect(pieces(plain + report + plain) == "\(plain)<<\(report)>>\(plain)")
        #expect(pieces(report + "bare\n") == "<<\(report)>>bare\n")
        let long = records(String(repeating: "all is well\n", count: 300))
        let open = report.split(separator: "\n").dropLast().map { "\($0)\n" }.joined()
        #expect(pieces(open + long) == "<<\(open)>>\(long)")
    }

    @Test("a record that contains a complete report is one report, and no record before it waits")
    func wholeRecord() {
        let plain = records("Process: 7\nThread 0 is busy\nall is well")
        let record =
            #"{"message":"Thread 0:\n0 Orchard 0x1010 0x1000 + 16\n\nBinary Images:\n"}"# + "\n"
        #expect(pieces(plain + record + plain) == "\(plain)<<\(record)>>\(plain)")
        var stream = ReportStream()
        for line in plain.split(separator: "\n").dropFirst().map({ Array("\($0)\n".utf8) }) {
            #expect(stream.add(line) == [.lines(line)])
        }
    }

    @Test(
        "a program's last message waits for the next line, and is buffered with a backtrace after it"
    )
    func preamble() {
        let message = "main.swift:3: Fatal error: none left\n"
        let record = "{\"log\":\"main.swift:3: Fatal error: none left\\n\"}\n"
        for line in [message, record] {
            #expect(pieces("a\n\(line)\n\(trace)b\n") == "a\n<<\(line)\n\(trace)>>b\n")
            #expect(pieces("a\n\(line)b\n\(trace)") == "a\n\(line)b\n<<\(trace)>>")
            #expect(pieces("a\n\(line)") == "a\n\(line)")
        }
        var stream = ReportStream()
        #expect(stream.add(Array(message.utf8)) == [])
        #expect(stream.add(Array("b\n".utf8)) == [.lines(Array("\(message)b\n".utf8))])
    }

    @Test("keys and values at the start are the header of a report, if one follows")
    func heading() {
        let head = "\u{feff}Hardware Model:      Mac14,2\nDate/Time:\n\n"
        let report = "\(head)Thread 0 Crashed:\n0   Orchard  0x1000 0x0 + 4096\n"
        #expect(pieces(report) == "<<\(report)>>")
        #expect(pieces("\(head)ready\n\(head)") == "\(head)ready\n\(head)")
        let log = "12:00 started\n\(report)"
        #expect(pieces(log).hasPrefix("12:00 started\n\(head)<<Thread"))
    }

    @Test(
        "binary data is one piece",
        arguments: [[0x1f, 0x8b], [0x7f, 0x45, 0x4c, 0x46]] as [[UInt8]])
    func binary(magic: [UInt8]) {
        var stream = ReportStream()
        let bytes = magic + [0x0a, 0x31, 0x0a, 0, 0x0a]
        #expect(stream.add(bytes) == [])
        #expect(stream.end() == [.report(bytes)])
        #expect(stream.add(Array("late\n".utf8) + bytes) == [.lines(Array("late\n".utf8) + bytes)])
    }

    @Test("a report longer than the limit is split there, and the rest is passed on")
    func limits() {
        let row = "0   Orchard  0x1000 0x0 + 4096\n"
        let text = "Thread 0 Crashed:\n" + String(repeating: row, count: 100)
        let cut = pieces(text, byteLimit: 1000)
        #expect(cut.hasPrefix("<<Thread 0"))
        #expect(cut.replacing("<<", with: "").replacing(">>", with: "") == text)
        #expect(cut.split(separator: "<<").allSatisfy { $0.utf8.count < 1100 })
        let long = String(repeating: "x", count: ReportStream.lineLimit + 10)
        #expect(
            pieces("\(long)\nThread 0 Crashed:\n", partLength: 1 << 16)
                == "\(long)\n<<Thread 0 Crashed:\n>>")
    }

    @Test("a report that is one byte longer than the limit is reported as truncated")
    func cut() {
        let text = Array("Thread 0 Crashed:\n0   Orchard  0x1000 0x0 + 4096\n".utf8)
        var whole = ReportStream(byteLimit: text.count)
        #expect(whole.add(text) + whole.end() == [.report(text)])
        var stream = ReportStream(byteLimit: text.count - 1)
        #expect(stream.add(text) + stream.end() == [.report(text), .cut(limit: text.count - 1)])
        var heading = ReportStream(byteLimit: 10)
        #expect(
            heading.add(Array("Process: orchard\n".utf8)) == [
                .lines(Array("Process: orchard\n".utf8))
            ])
    }

    @Test(
        "no byte is lost or moved, whatever the input", arguments: UInt64(0)..<200)
    func whole(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let lines =
            trace.split(separator: "\n", omittingEmptySubsequences: false) + [
                "Thread 0 Crashed:", "0   Orchard  0x1000 0x0 + 4096", "Process: orchard", "EOF",
                "{",
                "{\"bug_type\":\"309\"}", "{\"log\":\"x\\n\"}", "[1,2]",
                "a.swift:1: Fatal error: no", "\r",
                "{\"callStacks\":", "\u{feff}Date/Time: now", "ordinary",
            ]
        let text = (0..<Int.random(in: 0...300, using: &numbers)).map { _ in
            lines.randomElement(using: &numbers).map { "\($0)\n" } ?? ""
        }.joined()
        let length = Int.random(in: 1...200, using: &numbers)
        let limit = Int.random(in: 50...5000, using: &numbers)
        let pieces = pieces(text, partLength: length, byteLimit: limit)
        #expect(pieces.replacing("<<", with: "").replacing(">>", with: "") == text)
    }

    @Test("an empty stream has no pieces")
    func nothing() {
        #expect(pieces("") == "")
    }
}
