import CallStacks
import JSONText
import ReportFormats
import Testing

/// Backtraces between output of other programs, containers and log collectors.
@Suite("Swift backtraces in logs")
struct SwiftLogTests {
    private static let before = "2026-10-01T07:29:58Z info press: 12 crates\n"
    private static let after = "2026-10-01T07:30:01Z notice supervisor: starting again\n"

    /// A log, and the same log with functions.
    private struct Log {
        var bare: String
        var written: String

        init(_ fixture: SwiftBacktraceFixture = .deep) async throws {
            let text = try fixture.text()
            bare = before + text + after
            written = before + (await RewrittenFile(text).text) + after
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static func joined(_ lines: [String], end: String = "\n") -> String {
        lines.map { $0 + end }.joined()
    }

    /// The text of the rewritten lines, without the log's own text.
    private static func text(of records: String, _ strip: (String) throws -> String) rethrows
        -> String
    {
        joined(try lines(records).map(strip))
    }

    @Test(
        "a backtrace is found between other lines, with either kind of line end",
        arguments: ["\n", "\r\n"])
    func bare(end: String) async throws {
        let log = try await Log()
        let written = await RewrittenFile(Self.joined(Self.lines(log.bare), end: end))
        #expect(written.text == Self.joined(Self.lines(log.written), end: end))
        #expect(written.results.first?.exceptionMessage == "Index out of range")
    }

    @Test("backtraces are found at any position of a log, once each")
    func several() async throws {
        let log = try await Log()
        let written = await RewrittenFile(log.bare + log.bare + log.bare)
        #expect(written.text == log.written + log.written + log.written)
        #expect(written.file.reports.count == 3)
        let ranges = written.file.reports.map(\.range)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }

    @Test(
        "a backtrace is rewritten after the prefixes of its lines, and lines of other processes stay"
    )
    func prefixes() async throws {
        let log = try await Log()
        func prefixed(_ text: String) -> String {
            Self.joined(
                Self.lines(text).enumerated().map { number, line in
                    // Logs often lose the blank of a blank line.
                    line.isEmpty ? "web-1  |" : "web-1  | " + line
                })
        }
        let strangers = ["db-1   | checkpoint complete\n", "web-2  | 1 [ra] 0x0000555555556996\n"]
        var mixed: [String] = []
        for (number, line) in Self.lines(prefixed(log.bare)).enumerated() {
            mixed += [line + "\n", strangers[number % 2]]
        }
        let written = await RewrittenFile(mixed.joined())
        let kept = Self.lines(written.text).filter { $0.hasPrefix("web-1") }
        #expect(Self.joined(kept) == prefixed(log.written))
        #expect(Self.lines(written.text).count == kept.count + mixed.count / 2)
    }

    @Test(
        "a backtrace is rewritten after any prefix",
        arguments: ["> ", "    ", "\u{1b}[36mweb-1  |\u{1b}[0m ", "pod/press-7f9c press ", "|"])
    func otherPrefixes(prefix: String) async throws {
        let log = try await Log()
        let written = await RewrittenFile(Self.joined(Self.lines(log.bare).map { prefix + $0 }))
        #expect(written.text == Self.joined(Self.lines(log.written).map { prefix + $0 }))
    }

    @Test("a backtrace is rewritten after timestamps, which may differ on every line")
    func timeStamps() async throws {
        let log = try await Log()
        let stamped = Self.lines(log.bare).enumerated().map { number, line in
            "Oct  1 07:30:\(10 + number) host orchard[417]: " + line
        }
        let written = await RewrittenFile(Self.joined(stamped))
        let text = Self.text(of: written.text) { line in
            line.firstRange(of: "]: ").map { String(line[$0.upperBound...]) } ?? line
        }
        #expect(text == log.written)
    }

    @Test("a backtrace is read where Kubernetes splits long lines")
    func partialLines() async throws {
        let log = try await Log()
        var records: [String] = []
        for line in Self.lines(log.bare) {
            let stamp = "2026-10-01T07:30:00.\(records.count)Z stderr "
            let cut = line.index(line.startIndex, offsetBy: 40, limitedBy: line.endIndex)
            if let cut, cut < line.endIndex {
                records.append(stamp + "P " + line[..<cut])
                records.append(stamp + "F " + line[cut...])
            } else {
                records.append(stamp + "F " + line)
            }
        }
        let written = await RewrittenFile(Self.joined(records))
        var text = ""
        for record in Self.lines(written.text) {
            let words = record.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            try #require(words.count == 4)
            text += words[3] + (words[2] == "F" ? "\n" : "")
        }
        #expect(text == log.written)
    }

    @Test(
        "a backtrace is rewritten in the text of JSON records, and a new record resembles the one before",
        arguments: ["\n", "\r\n"])
    func records(end: String) async throws {
        let release = SwiftBacktraceFixture(
            build: "linux-swift-release", scenario: "engine-index", form: "backtrace.txt")
        let log = try await Log(release)
        let records = Self.lines(log.bare).enumerated().map { number, line in
            #"{"log":\#(Self.quoted(line + end)),"stream":"stderr","number":\#(number)}"#
        }
        let written = await RewrittenFile(Self.joined(records))
        let text = try Self.lines(written.text).map { try Self.member("log", of: $0) }.joined()
        #expect(text == Self.joined(Self.lines(log.written), end: end))
        let untouched = Set(records).intersection(Self.lines(written.text))
        #expect(untouched.count == records.count - 2)
        let numbers = Self.lines(written.text).filter { $0.hasSuffix(#""number":10}"#) }
        #expect(numbers.count == 6)
    }

    @Test(
        "a backtrace is rewritten in records without line breaks, whatever the key",
        arguments: ["message", "msg", "textPayload", "MESSAGE"])
    func recordsWithoutBreaks(key: String) async throws {
        let log = try await Log()
        let records = Self.lines(log.bare).map {
            #"{"level":"error","\#(key)":\#(Self.quoted($0))}"#
        }
        let written = await RewrittenFile(Self.joined(records))
        let text = try Self.text(of: written.text) { try Self.member(key, of: $0) }
        #expect(text == log.written)
    }

    @Test("a backtrace is rewritten in a single record")
    func wholeRecord() async throws {
        let log = try await Log()
        let ends = (#"{"level":"info","message":"started"}"#, #"{"level":"info","message":"bye"}"#)
        func file(_ text: String) -> String {
            Self.joined([ends.0, #"{"message":\#(Self.quoted(text)),"level":"fatal"}"#, ends.1])
        }
        let written = await RewrittenFile(file(log.bare))
        #expect(written.text == file(log.written))
    }

    @Test("a JSON backtrace is rewritten in records, even if it is split over several")
    func objects() async throws {
        let object = try SwiftBacktraceFixture.deep.text("backtrace.json")
        let expected = await RewrittenFile(object).text
        let plain = await RewrittenFile(Self.before + object + Self.after)
        #expect(plain.text == Self.before + expected + Self.after)
        for length in [100, 1_000, 100_000] {
            var records: [String] = []
            for line in Self.lines(Self.before + object + Self.after) {
                var rest = Substring(line + "\n")
                while !rest.isEmpty {
                    let part = String(rest.prefix(length))
                    records.append(#"{"log":\#(Self.quoted(part)),"stream":"stderr"}"#)
                    rest = rest.dropFirst(length)
                }
            }
            let written = await RewrittenFile(Self.joined(records))
            let text = try Self.lines(written.text).map { try Self.member("log", of: $0) }.joined()
            #expect(text == Self.before + expected + Self.after)
            #expect(Self.lines(written.text).count == records.count)
            #expect(written.results.first?.exceptionMessage == "Index out of range")
        }
    }

    @Test("a backtrace at the end of a file without a line break starts on its own line")
    func unended() async throws {
        let text = try SwiftBacktraceFixture.deep.text()
        let images = try #require(text.firstRange(of: "Images ("))
        let list = text[images.lowerBound...].split(separator: "\n").prefix(2).joined(
            separator: "\n\n")
        let rows = """
            *** Program crashed: Illegal instruction at 0x0000555555555330 ***

            \(list.replacing("988da272efc8924d7f19aff83dd4107d9ff2947d", with: "a5a4612391f31a9ef9dd5cc0692d9d875da92822"))

            Thread 0 crashed:

            0 0x0000555555555330
            """
        let written = await RewrittenFile(rows)
        #expect(written.text.hasPrefix(rows.dropLast(21)))
        #expect(
            written.text.hasSuffix(
                "Engine.run(_:) + 48 in engine at /Users/ci/orchard/Linux/Engine.swift:32:9"))
        #expect(Self.lines(written.text + "\n").count == Self.lines(rows + "\n").count + 5)
        #expect(await RewrittenFile(written.bytes).text == written.text)
    }

    @Test(
        "words of a backtrace alone are not a backtrace",
        arguments: [
            "2026-10-01T07:29:58Z error: *** Program crashed: so says the manual ***\n",
            "*** Signal 4: Backtracing from 0x5646b07de029... done ***\n",
            #"{"kind": "crashReport"}"# + "\n", #"see {"timestamp": 1, "kind": "crashReport"#,
            "Program crashed: Program crashed: Swift runtime failure: \n",
        ])
    func words(text: String) async {
        let written = await RewrittenFile(before(text) + text)
        #expect(written.file.reports.isEmpty)
        #expect(written.text == before(text) + text)
    }

    @Test("a log of JSON records without a backtrace has a single problem")
    func recordsWithoutTraces() async {
        let records = (0..<2_000).map { #"{"level":"info","msg":"crate \#($0)"}"# }
        let written = await RewrittenFile(Self.joined(records))
        #expect(written.text == Self.joined(records))
        #expect(written.file.unread.count == 1)
    }

    private func before(_ text: String) -> String { text.hasPrefix("{") ? "" : Self.before }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func member(_ key: String, of record: String) throws -> String {
        let document = JSONDocument(Array(record.utf8))
        #expect(document.failure == nil)
        return try #require(document.root?[key]?.string)
    }
}
