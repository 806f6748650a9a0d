import CallStacks
import LogExtraction
import ReportFormats
import SymbolStores
import TestSupport
import Testing

@Suite("Swift backtraces on Linux")
struct SwiftBacktraceTests {
    @Test("functions and lines are written", arguments: SwiftBacktraceFixture.all)
    func rewriting(fixture: SwiftBacktraceFixture) async throws {
        let written = await RewrittenFile(try fixture.bytes())
        #expect(written.file.reports.count == 1)
        #expect(written.results.map(\.status) == [.symbolicated])
        try expectGolden(
            written.text, "SwiftBacktraces/\(fixture.build)-\(fixture.scenario).\(fixture.form)")
    }

    @Test("symbolicating a backtrace again changes nothing", arguments: SwiftBacktraceFixture.all)
    func again(fixture: SwiftBacktraceFixture) async throws {
        let once = await RewrittenFile(try fixture.bytes())
        let twice = await RewrittenFile(once.bytes)
        #expect(once.bytes != (try fixture.bytes()))
        #expect(twice.text == once.text)
        #expect(twice.results.map(\.culprit) == once.results.map(\.culprit))
    }

    @Test("a backtrace without symbols stays unchanged", arguments: SwiftBacktraceFixture.all)
    func withoutSymbols(fixture: SwiftBacktraceFixture) async throws {
        let nothing = LocalSymbolProvider(SymbolInventory(paths: []), cachedIn: nil)
        let written = await RewrittenFile(try fixture.bytes(), symbols: nothing)
        #expect(written.bytes == (try fixture.bytes()))
        #expect(written.file.reports.count == 1)
    }

    @Test(
        "a rewritten unoptimised backtrace equals one from a runtime with symbols",
        arguments: ["engine-index", "engine-unwrap"])
    func runtime(scenario: String) async throws {
        let fixture = SwiftBacktraceFixture(
            build: "linux-swift-debug", scenario: scenario, form: "backtrace.txt")
        let written = await RewrittenFile(try fixture.bytes())
        let runtimes = try fixture.text("backtrace-with-symbols.txt")
            .replacing("//<compiler-generated>", with: "<compiler-generated>")
        let lines = zip(lines(of: written.text), lines(of: runtimes)).filter {
            !$0.0.contains("<unknown> in libswift")
        }
        #expect(lines.count > 15)
        for (ours, theirs) in lines { #expect(ours == theirs) }
    }

    private func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test("the reason for the crash is read", arguments: SwiftBacktraceFixture.all)
    func title(fixture: SwiftBacktraceFixture) async throws {
        let result = try #require(await RewrittenFile(try fixture.bytes()).results.first)
        let message =
            fixture.scenario == "engine-index"
            ? "Index out of range" : "Unexpectedly found nil while unwrapping an Optional value"
        #expect(result.exceptionName == "SIGILL")
        #expect(result.exceptionMessage == message)
        #expect(result.details.processName == "engine")
        #expect(result.details.architecture == "x86_64")
        #expect(result.details.osVersion == "Linux (Debian GNU/Linux 12 (bookworm))")
        #expect(result.remarks.isEmpty)
    }

    @Test("every form has the same diagnostic", arguments: SwiftBacktraceFixture.all)
    func forms(fixture: SwiftBacktraceFixture) throws {
        let reader = CrashFileReader()
        let report = try #require(reader.read(try fixture.bytes()).reports.first)
        let text = try #require(reader.read(try fixture.bytes("backtrace.txt")).reports.first)
        var (one, other) = (report.resolved(), text.resolved())
        one.details.timestamp = nil
        other.details.timestamp = nil
        #expect(one == other)
        #expect(!one.tree.frames.isEmpty)
    }

    @Test("names in the report that are better than those from symbols are kept")
    func given() async throws {
        let fixture = SwiftBacktraceFixture.deep
        let text = try fixture.text("backtrace-with-symbols.txt")
            .replacing("//<compiler-generated>", with: "<compiler-generated>")
        let written = await RewrittenFile(text)
        #expect(written.text == text)
        let names = written.results.first?.frames.compactMap(\.function) ?? []
        #expect(names.prefix(2).last == "_assertionFailure(_:_:file:line:flags:)")
        #expect(written.results.first?.culprit == "Engine.part(_:)")
    }
}
