import HTMLText
import Testing

@Suite("Writing HTML")
struct HTMLWriterTests {
    private func text(_ write: (inout HTMLWriter) -> Void) -> String {
        var writer = HTMLWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("elements nest, and attributes without a value are left out")
    func elements() {
        let page = text { html in
            html.element("p", [.class("a", nil, "b"), .title(nil)]) { html in
                html.text("1 < 2 ")
                html.element("b", text: "& so on")
                html.void("input", [.type("checkbox"), HTMLAttribute("checked", isSet: true)])
            }
        }
        #expect(
            page
                == #"<p class="a b">1 &lt; 2 <b>&amp; so on</b><input type="checkbox" checked></p>"#
        )
    }

    @Test("numbers are written in decimal digits")
    func numbers() {
        for number in [0, 7, 10, 1_234, -56, .max, .min] {
            let page = text { $0.void("i", [HTMLAttribute("x", number)]) }
            #expect(page == "<i x=\"\(number)\">")
        }
    }

    @Test("no scalar ends a text or a value, also before a combining mark")
    func everyScalar() {
        for number in 0...0x10ffff as ClosedRange<UInt32> {
            guard number < 0x3000 || number % 251 == 0, let scalar = Unicode.Scalar(number) else {
                continue
            }
            for mark in ["", "\u{301}", "\u{20d2}", "\u{fe0f}"] {
                let hostile = String(Character(scalar)) + mark
                let page = text { html in
                    html.element("i", [.title(hostile)], text: hostile)
                }
                let inner = page.utf8.dropFirst(10).dropLast(4)
                #expect(
                    page.utf8.starts(with: "<i title=\"".utf8)
                        && page.utf8.suffix(4).elementsEqual("</i>".utf8))
                #expect(inner.count { $0 == UInt8(ascii: "\"") } == 1)
                #expect(inner.count { $0 == UInt8(ascii: "<") } == 0)
                #expect(inner.count { $0 == UInt8(ascii: ">") } == 1)
                #expect(inner.count { $0 == 0 || $0 == UInt8(ascii: "'") } == 0)
            }
        }
    }

    @Test("links lead to http, https and this site only")
    func links() {
        #expect(LinkTarget(external: "javascript:alert(1)") == nil)
        #expect(LinkTarget(external: " https://a") == nil)
        #expect(LinkTarget(external: "data:text/html,x") == nil)
        #expect(LinkTarget(external: "HTTPS://a/b?c")?.text == "HTTPS://a/b?c")
        #expect(
            LinkTarget(segments: ["d", "a/../b?c"], query: [("q", "x&y=\"z\""), ("n", nil)]).text
                == "/d/a%2F..%2Fb%3Fc?q=x%26y%3D%22z%22")
        #expect(LinkTarget(segments: []).text == "/")
        #expect(
            LinkTarget(
                prefix: "/symbols", segments: ["g"], query: [("n", nil), ("a", "1"), ("b", "é")],
                fragment: "t 0"
            ).text == "/symbols/g?a=1&b=%C3%A9#t%200")
        #expect(LinkTarget(fragment: "t0f3").text == "#t0f3")
    }
}
