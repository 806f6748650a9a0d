import CallStacks
import CrashFiles
import SymbolStores
import TestSupport
import Testing

@Suite("Backtraces of Swift on Linux")
struct SwiftBacktraceTests {
    @Test("are written with functions and lines", arguments: SwiftBacktraceFixture.all)
    func rewriting(fixture: SwiftBacktraceFixture) async throws {
        let written = await RewrittenFile(try fixture.bytes())
        #expect(written.file.reports.count == 1)
        #expect(written.answers.map(\.status) == [.symbolicated])
        try expectGolden(
            written.text, "SwiftBacktraces/\(fixture.build)-\(fixture.scenario).\(fixture.form)")
    }

    @Test("stay as they are when they are read again", arguments: SwiftBacktraceFixture.all)
    func again(fixture: SwiftBacktraceFixture) async throws {
        let once = await RewrittenFile(try fixture.bytes())
        let twice = await RewrittenFile(once.bytes)
        #expect(once.bytes != (try fixture.bytes()))
        #expect(twice.text == once.text)
        #expect(twice.answers.map(\.culprit) == once.answers.map(\.culprit))
    }

    @Test("stay as they are without symbols", arguments: SwiftBacktraceFixture.all)
    func withoutSymbols(fixture: SwiftBacktraceFixture) async throws {
        let nothing = LocalSymbols(SymbolInventory(paths: []), cachedIn: nil)
        let written = await RewrittenFile(try fixture.bytes(), symbols: nothing)
        #expect(written.bytes == (try fixture.bytes()))
        #expect(written.file.reports.count == 1)
    }

    @Test(
        "without optimisation read as the runtime writes them that has symbols",
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

    @Test("say what stopped the program", arguments: SwiftBacktraceFixture.all)
    func title(fixture: SwiftBacktraceFixture) async throws {
        let answer = try #require(await RewrittenFile(try fixture.bytes()).answers.first)
        let message =
            fixture.scenario == "engine-index"
            ? "Index out of range" : "Unexpectedly found nil while unwrapping an Optional value"
        #expect(answer.exceptionName == "SIGILL")
        #expect(answer.exceptionMessage == message)
        #expect(answer.details.processName == "engine")
        #expect(answer.details.architecture == "x86_64")
        #expect(answer.details.osVersion == "Linux (Debian GNU/Linux 12 (bookworm))")
        #expect(answer.remarks.isEmpty)
    }

    @Test("are one diagnostic in each of their forms", arguments: SwiftBacktraceFixture.all)
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

    @Test("keep names that are better than what symbols tell")
    func given() async throws {
        let fixture = SwiftBacktraceFixture.deep
        let text = try fixture.text("backtrace-with-symbols.txt")
            .replacing("//<compiler-generated>", with: "<compiler-generated>")
        let written = await RewrittenFile(text)
        #expect(written.text == text)
        let names = written.answers.first?.frames.compactMap(\.function) ?? []
        #expect(names.prefix(2).last == "_assertionFailure(_:_:file:line:flags:)")
        #expect(written.answers.first?.culprit == "Engine.part(_:)")
    }
}
