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
            suggestion: "look for <it>", command: "curl", retryAfter: 1
        ).page(in: Self.context)
        let text = String(decoding: page, as: UTF8.self)
        #expect(text.contains("<h1>Not found</h1>"))
        #expect(text.contains("No &lt;diagnostic&gt; has this identifier."))
        #expect(text.contains("Look for &lt;it&gt;."))
        #expect(text.contains("Try again in 1 second."))
    }
}
