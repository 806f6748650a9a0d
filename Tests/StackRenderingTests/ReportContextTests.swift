import CallStacks
import StackRendering
import TestSupport
import Testing

@Suite("What a report shows besides the diagnostic")
struct ReportContextTests {
    private let source = SourceExcerpt(
        firstLine: 99, lines: ["func total() {", "\tsum(\u{1b}[31mitems)", "}"])

    @Test("source stands below its row, with the line marked and nothing that acts on a terminal")
    func excerpt() throws {
        var crash = Example.crash
        crash.frames[2].line = 100
        let context = ReportContext(excerpts: [2: source])
        try expectGolden(StackText().report(of: crash, with: context), "crash-with-source.txt")
        let painted = StackText(style: .terminal).report(of: crash, with: context)
        #expect(painted.contains("\u{1b}[2m         99 │ func total() {\u{1b}[0m\n"))
        #expect(painted.contains("\n      ▶ 100 │     sum(\u{fffd}[31mitems)\n"))
    }

    @Test("of a sampled diagnostic the source of the culprit stands above the tree")
    func culprit() {
        var hang = Example.hang
        #expect(hang.rowsWorthSource == [6])
        hang.frames[6].line = 100
        let text = StackText().report(of: hang, with: ReportContext(excerpts: [6: source]))
        let (source, tree) = (text.firstRange(of: "▶ 100 │"), text.firstRange(of: "49  0x"))
        #expect(source != nil && tree != nil && source!.lowerBound < tree!.lowerBound)
    }

    @Test("source is wanted of the app's rows with a line, in what the diagnostic is about")
    func rows() {
        #expect(Example.crash.rowsWorthSource == [1, 2, 6])
        var deep = Example.crash
        deep.frames = Array(repeating: deep.frames[2], count: 100)
        deep.stacks = [SymbolicatedStack(index: 0, name: nil, isAttributed: true, frames: 0..<100)]
        #expect(deep.rowsWorthSource.count == SymbolicatedDiagnostic.excerptLimit)
    }

    @Test("what is missing comes with commands that find it and give it, quoted for a shell")
    func commands() throws {
        let context = ReportContext(input: "it's a crash.ips")
        let text = StackText().report(of: Example.crash, with: context)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("To add") }
        #expect(
            lines.prefix(3) == [
                "To add what is missing:",
                "  mdfind 'com_apple_xcode_dsym_uuids == \(Example.pay)'  # Pay, on a Mac",
                "  symbolist symbolicate 'it'\\''s a crash.ips' --symbols PATH",
            ])
        #expect(!StackText().report(of: Example.crash).contains("To add"))
        var whole = Example.crash
        whole.images = []
        #expect(!StackText().report(of: whole, with: context).contains("To add"))
    }

    @Test("a build id is looked for where debug files lie by their ids")
    func buildID() throws {
        var crash = Example.crash
        let id = try #require(ImageID("58c59e1e0b84bfb608500aab85635a597b6fd64b"))
        for row in crash.frames.indices where crash.frames[row].image == Example.pay {
            crash.frames[row].image = id
        }
        crash.images[2].image = id
        let text = StackText().report(of: crash, with: ReportContext(input: "crash.txt"))
        #expect(
            text.contains(
                "  find / -path '*/.build-id/58/c59e1e0b84bfb608500aab85635a597b6fd64b.debug'  # Pay\n"
            ))
    }

    @Test("symbols of another build are said to be that")
    func otherBuild() {
        let context = ReportContext(otherBuilds: [Example.pay: Example.shop])
        let text = StackText().report(of: Example.crash, with: context)
        #expect(text.contains("1 frame  the symbols given are of another build, \(Example.shop)\n"))
    }
}
