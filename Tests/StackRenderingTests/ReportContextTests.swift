import CallStacks
@testable import StackRendering
import TestSupport
import Testing

@Suite("The context of a report")
struct ReportContextTests {
    private let source = SourceExcerpt(
        firstLine: 99, lines: ["func total() {", "\tsum(\u{1b}[31mitems)", "}"])

    @Test("source is below its frame, with the line marked and without control characters")
    func excerpt() throws {
        var crash = Example.crash
        crash.frames[2].line = 100
        let context = ReportContext(excerpts: [2: source])
        try expectGolden(StackText().report(of: crash, with: context), "crash-with-source.txt")
        let painted = StackText(style: .terminal).report(of: crash, with: context)
        #expect(painted.contains("\u{1b}[2m         99 │ func total() {\u{1b}[0m\n"))
        #expect(painted.contains("\n      ▶ 100 │     sum(\u{fffd}[31mitems)\n"))
    }

    @Test("the source of a sampled diagnostic's culprit is above the tree")
    func culprit() {
        var hang = Example.hang
        #expect(hang.framesForExcerpts == [6])
        hang.frames[6].line = 100
        let text = StackText().report(of: hang, with: ReportContext(excerpts: [6: source]))
        let (source, tree) = (text.firstRange(of: "▶ 100 │"), text.firstRange(of: "49  0x"))
        #expect(source != nil && tree != nil && source!.lowerBound < tree!.lowerBound)
    }

    @Test("source is shown for the app's frames with a line in the attributed stacks")
    func rows() {
        #expect(Example.crash.framesForExcerpts == [1, 2, 6])
        var deep = Example.crash
        deep.frames = Array(repeating: deep.frames[2], count: 100)
        deep.stacks = [CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<100)]
        #expect(deep.framesForExcerpts.count == SymbolicatedDiagnostic.excerptLimit)
    }

    @Test("missing symbols come with commands that find and add them, quoted for a shell")
    func commands() throws {
        let context = ReportContext(input: "it's a crash.ips")
        let text = StackText().report(of: Example.crash, with: context)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("To find") }
        #expect(
            lines.prefix(3) == [
                "To find the missing symbols of Pay on a Mac, and add them:",
                "  mdfind 'com_apple_xcode_dsym_uuids == \(Example.pay)'",
                "  symbolist symbolicate 'it'\\''s a crash.ips' --symbols PATH",
            ])
        #expect(!StackText().report(of: Example.crash).contains("To find"))
        var whole = Example.crash
        whole.images = []
        #expect(!StackText().report(of: whole, with: context).contains("To find"))
    }

    @Test("a word is quoted for a shell, whatever its characters are combined with")
    func quoting() {
        #expect(shellWord("dSYMs/Pay+.zip") == "dSYMs/Pay+.zip")
        #expect(shellWord("") == "''")
        #expect(shellWord("it's") == "'it'\\''s'")
        #expect(shellWord("x'\u{301}; y") == "'x'\\''\u{301}; y'")
    }

    @Test("the name of an image is in no command")
    func hostileImageName() {
        var crash = Example.crash
        crash.images[2].name = "Pay$(touch x)"
        let commands = SymbolSearchCommands(
            for: [crash.images[2]], input: "crash.ips", style: .plain)
        #expect(commands.text.contains("symbols of Pay$(touch x) on a Mac"))
        #expect(!commands.commands.contains("touch"))
    }

    @Test("a build ID is searched for in the folders of debug files by build ID")
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
                """
                To find the missing symbols of Pay, and add them:
                  find / -path '*/.build-id/58/c59e1e0b84bfb608500aab85635a597b6fd64b.debug'\n
                """
            ))
    }

    @Test("symbols of another build are reported as such")
    func otherBuild() {
        let context = ReportContext(otherBuilds: [Example.pay: Example.shop])
        let text = StackText().report(of: Example.crash, with: context)
        #expect(text.contains("1 frame  the given symbols are of another build, \(Example.shop)\n"))
    }

    @Test("a Mac's kernel without symbols is listed with their source")
    func kernel() throws {
        for (system, isListed) in [("macOS 15.1 (24B83)", true), ("iPhone OS 18.1 (22B83)", false)]
        {
            var diagnostic = Example.crash
            diagnostic.details.osVersion = system
            diagnostic.images[1].name = "kernel"
            let text = StackText().report(of: diagnostic)
            let line = text.split(separator: "\n").first { $0.contains("Kernel Debug Kit") }
            #expect((line != nil) == isListed, "\(text)")
            #expect(line?.contains("kernel") ?? true)
        }
    }

    /// Returns the line about the system images of a crash.
    private func systemLine(
        of crash: SymbolicatedDiagnostic, _ context: ReportContext
    ) -> Substring? {
        StackText().report(of: crash, with: context).split(separator: "\n")
            .first { $0.contains(" in 2 system images have no symbols") }
    }

    @Test(
        "on the command line, the line about Apple's system images ends with the command that adds them",
        arguments: [
            ("iPhone OS 18.5 (22F76)", "iPhone15,2", "\"…/iPhone15,2 18.5 (22F76)\""),
            ("iOS 18.1 (Build 22B83)", nil, "\"…/18.1 (22B83)\""),
            ("iOS 18.1 (22B83)", "$(id)", "\"…/18.1 (22B83)\""),
            ("iOS `id` (22B83)", "iPhone15,2", "PATH"), ("iOS 18.1", "iPhone15,2", "PATH"),
            (
                "macOS 15.1 (24B83)", "Mac15,6",
                "/System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld"
            ),
            ("macOS 12.6 (21G115)", "Mac14,2", "/System/Library/dyld"),
        ])
    func systemCommand(system: String, model: String?, place: String) throws {
        var crash = Example.crash
        crash.details.osVersion = system
        crash.details.deviceType = model
        let named = try #require(
            systemLine(of: crash, ReportContext(input: "a b.ips", isForCommandLine: true)))
        #expect(named.hasSuffix("): symbolist system add \(place) --for 'a b.ips'"))
        let context = ReportContext(isForCommandLine: true)
        let unnamed = try #require(systemLine(of: crash, context))
        #expect(unnamed.hasSuffix(": symbolist system add \(place) --for FILE"))
    }

    @Test("other systems, other readers, and images without a UUID get no such command")
    func noSystemCommand() throws {
        let context = ReportContext(input: "-", isForCommandLine: true)
        var crash = Example.crash
        #expect(try #require(systemLine(of: crash, context)).hasSuffix(" --for FILE"))
        #expect(
            try #require(systemLine(of: crash, ReportContext())).hasSuffix(
                " (iPhone OS 18.5, 22F76)"))
        crash.details.osVersion = "Linux (Debian GNU/Linux 12 (bookworm))"
        #expect(try #require(systemLine(of: crash, context)).contains("system add") == false)
        crash.details.osVersion = nil
        #expect(try #require(systemLine(of: crash, context)).contains("system add") == false)
        crash = Example.crash
        for number in crash.images.indices where crash.images[number].image == Example.uiKit {
            crash.images[number].status = .unidentified
        }
        #expect(try #require(systemLine(of: crash, context)).contains("system add") == false)
    }
}
