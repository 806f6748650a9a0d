import HTMLText
import Testing

@testable import Pages

@Suite("Pages")
struct PagesTests {
    static let context = PageContext(
        prefix: "", serverURL: "http://127.0.0.1:4318",
        styleSheet: LinkTarget(segments: ["assets", "1", "pages.css"]),
        script: LinkTarget(segments: ["assets", "1", "pages.js"]),
        icon: LinkTarget(segments: ["assets", "1", "icon.svg"]))

    @Test("a message page explains what happened and what to do")
    func message() {
        let page = MessagePage(
            title: "Not found", explanation: "No <diagnostic> has this identifier.",
            suggestion: "look for <it>", retryAfter: 1
        ).page(in: Self.context)
        let text = String(decoding: page, as: UTF8.self)
        #expect(text.contains("<h1>Not found</h1>"))
        #expect(text.contains("No &lt;diagnostic&gt; has this identifier."))
        #expect(text.contains("Look for &lt;it&gt;."))
        #expect(text.contains("Try again in 1 second."))
    }

    @Test("a part that failed is a sentence at the end of its page")
    func failedParts() throws {
        var context = Self.context
        context.failedParts = ["Counts: <busy>"]
        let page = PageShell(context, section: nil).page(title: "A") { html in
            html.element("h1", text: "A")
        }
        let text = String(decoding: page, as: UTF8.self)
        let sentence = "<p class=\"warn\">A part of this page cannot be shown. "
        #expect(text.contains("<h1>A</h1>\(sentence)<bdi>Counts: &lt;busy&gt;</bdi></p></main>"))
    }
}
