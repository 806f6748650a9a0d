import CallStacks
import TestSupport
import Testing

@testable import StackRendering

@Suite("Reports in Markdown")
struct MarkdownTests {
    private let markdown = MarkdownReport()

    @Test("a crash has its thread open, the others folded, and the app's functions bold")
    func crash() throws {
        try expectGolden(markdown.report(of: Example.crash), "crash.md")
    }

    @Test("a hang has its heaviest path, and the tree folded")
    func hang() throws {
        try expectGolden(markdown.report(of: Example.hang), "hang.md")
    }

    @Test(
        "the content of a report is shown literally",
        arguments: [
            "a*b*_c_", "`rm`", "a|b\\|", "<img src=x>", "@octocat", "closure #1 in f(:x:)",
            "[a](b)", "$x$", "~~a~~", "</pre><b>x", "&lt;",
        ])
    func hostile(name: String) {
        var crash = Example.crash
        crash.details.bundleIdentifier = name
        crash.details.terminationReason = name
        crash.exceptionMessage = name
        crash.stacks[0].name = name
        crash.images[0].name = name
        for row in crash.frames.indices {
            crash.frames[row].imageName = name
            crash.frames[row].function = name
            crash.frames[row].file = SourceFile(folder: "", name: name)
        }
        let text = markdown.report(of: crash, with: ReportContext(input: name))
        var rest = text
        // In these two elements only HTML is interpreted, and no mentions, numbers or pictures.
        for element in [/<pre>\n(?<inner>(?s).*?)<\/pre>/, /<code>(?<inner>[^<]*)<\/code>/] {
            for match in text.matches(of: element) {
                let inner = match.inner.replacing("<b>", with: "").replacing("</b>", with: "")
                #expect(!inner.contains("<"))
                #expect(!inner.contains(/&(?!amp;|lt;|gt;|#\d+;)/))
            }
            rest = rest.replacing(element) { _ in "" }
        }
        #expect(!rest.contains(name))
        #expect(
            !text.matches(of: /<code>([^<]*)<\/code>/).contains { $0.1.contains(/[*_`|\\@\[]/) })
        #expect(text.contains(MarkdownText.code("\(name) 2.1 (345)")))
    }

    @Test("a tag is shown literally, whatever its characters are combined with")
    func combinedTags() {
        #expect(
            MarkdownText.html("\u{600}</pre>&\u{301}").unicodeScalars.elementsEqual(
                "\u{600}&lt;/pre&gt;&amp;\u{301}".unicodeScalars))
    }

    @Test("a report fits into a comment, and omitted stacks are counted")
    func limit() {
        var crash = Example.crash
        for row in crash.frames.indices {
            crash.frames[row].function = String(repeating: "<", count: 900)
        }
        let (deep, stack) = (crash.frames[4...6], crash.stacks[1])
        for _ in 0..<500 { crash.frames += deep }
        crash.stacks[1].frames = 0..<crash.frames.count
        for number in 2..<400 {
            crash.stacks.append(
                CallStack(
                    index: number, name: stack.name, isAttributed: false, frames: 7..<10))
        }
        crash.images += Array(repeating: crash.images[2], count: 900)
        crash.details.applicationMessages = Array(repeating: 0, count: 100).indices.map {
            "\($0)" + String(repeating: "*", count: 2000)
        }
        let text = markdown.report(of: crash)
        #expect(text.utf8.count <= MarkdownReport.lengthLimit)
        #expect(text.utf8.count > MarkdownReport.lengthLimit / 2)
        #expect(text.contains(/… \d+ more lines\n<\/pre>/))
        #expect(text.contains("more stacks left out"))
        #expect(text.contains(/and \d+ more images\n/))
    }
}
