import CallStacks
import FlameGraphs
import HTMLText
import TestSupport
import Testing

@testable import Pages

@Suite("The page of a diagnostic")
struct DiagnosticPageTests {
    private func text(_ page: DiagnosticPage) -> String {
        String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
            .replacing("><", with: ">\n<")
    }

    @Test("a crash: badges, remedies, threads with folded system frames, images")
    func crash() throws {
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        page.links = SourceLinks(template: "https://git.example/{path}#L{line}")
        try expectGolden(text(page), "crash.html")
    }

    @Test("a hang: the icicle, the heaviest stack, the functions")
    func hang() throws {
        try expectGolden(text(DiagnosticPage(Example.hang, segments: ["d", "2"])), "hang.html")
    }

    @Test("an icicle that is zoomed names the function and links back to the whole")
    func zoom() throws {
        var builder = FlameGraphBuilder()
        builder.add(Example.hang)
        let graph = builder.graph()
        let node = try #require(
            graph.nodes.indices.first { graph.function(of: $0).label == "hashRow(_:)" })
        var page = DiagnosticPage(Example.hang, segments: ["d", "2"])
        let cell = try #require(graph.cellIDs().dropFirst(node).first)
        page.flame.zoom = cell
        #expect(text(page).contains("Reset zoom"))
        page.flame.zoom = CellID("0000000000000000")
        #expect(text(page).contains("is not in this picture"))
    }

    @Test("the picture of a hang can be limited to one thread")
    func thread() {
        var hang = Example.hang
        hang.stacks = [
            CallStack(index: 0, name: "main", isAttributed: true, frames: 0..<5),
            CallStack(index: 7, name: "<worker>", isAttributed: false, frames: 5..<9),
        ]
        hang.frames[5].parent = nil
        (hang.frames[7].parent, hang.frames[8].parent) = (5, 5)
        var page = DiagnosticPage(hang, segments: ["d", "2"])
        #expect(text(page).contains("<option value=\"1\">Thread 7 &lt;worker&gt;</option>"))
        #expect(text(page).contains("<title>main, "))
        page.flame.thread = 1
        #expect(text(page).contains("<option value=\"1\" selected>"))
        #expect(!text(page).contains("<title>main, "))
        #expect(text(page).contains("<title>hashRow(_:), "))
        #expect(text(page).contains("&amp;thread=1") || text(page).contains("?thread=1"))
    }

    @Test("choices and pills about frames are only where frames of threads are shown")
    func choices() {
        for (diagnostic, form) in [
            (Example.hang, DiagnosticViewOptions.Form.stack), (Example.crash, .text),
        ] {
            var page = DiagnosticPage(diagnostic, segments: ["d", "1"])
            page.options.frames = .all
            page.options.form = form
            let text = text(page)
            #expect(!text.contains("data-choice=\"Frames all\""))
            #expect(!text.contains("all frames ×"))
            #expect(text.contains("data-choice=\"View original\""))
        }
    }

    @Test("a page has the remarks about the whole report")
    func remarks() {
        var crash = Example.crash
        crash.remarks = [.textTruncated]
        let page = text(DiagnosticPage(crash, segments: ["d", "1"]))
        #expect(page.contains("<li>the report is truncated; the part before is shown</li>"))
    }

    @Test("all frames and mangled names are shown on request, with links that hide them again")
    func options() {
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        page.options.frames = .all
        page.options.names = .mangled
        let text = text(page)
        #expect(!text.contains("4 frames in"))
        #expect(text.contains("$s4ShopCart.total(for:)"))
        #expect(text.contains("mangled ×"))
        #expect(text.contains("href=\"/d/1?frames=all\""))
    }

    @Test(
        "hostile text is shown and never becomes markup",
        arguments: [
            "<script>alert(1)</script>", "\"\u{301} onmouseover=\"alert(1)", "a\u{202e}b",
            "a\u{0}b", "javascript:alert(1)", String(repeating: "x", count: 20_000), "'`--><!--",
        ])
    func hostile(text: String) {
        for diagnostic in [Example.crash, Example.hang] {
            var content = DiagnosticPage(
                diagnostic.hostile(text), segments: ["d", String(text.prefix(300))])
            content.attributes = [
                AttributeRow(.record, text, text), AttributeRow(.scope, text, nil),
            ]
            let page = self.text(content)
            let tags = page.split(separator: "<").dropFirst()
            let names = Set(tags.map { String($0.prefix { !" >".contains($0) }) })
            #expect(names.isSubset(of: Self.elements), "\(names.subtracting(Self.elements))")
            #expect(!page.contains("onmouseover=\""))
            #expect(!page.contains("href=\"javascript"))
            #expect(!page.contains("\u{202e}"))
            #expect(!page.utf8.contains(0))
            #expect(page.utf8.count < 200_000)
        }
    }

    private static let elements: Set<String> = {
        let names = [
            "html", "head", "title", "script", "body", "a", "header", "nav", "div", "form", "main",
            "p", "h1", "h2", "strong", "dl", "dt", "dd", "span", "section", "ul", "li", "b", "pre",
            "button", "details", "summary", "table", "thead", "tbody", "tr", "th", "td", "bdi",
            "code", "svg", "text", "label", "colgroup", "rect",
        ]
        return Set(
            names + names.map { "/" + $0 } + ["!doctype", "meta", "link", "input", "col"])
    }()

    @Test("a long name is truncated, and complete in a fold below it")
    func longNames() {
        let name = "a" + String(repeating: "b", count: nameLimit) + "z"
        var crash = Example.crash
        crash.frames[1].function = name
        let page = text(DiagnosticPage(crash, segments: ["d", "1"]))
        #expect(page.contains("<summary>Whole name</summary>\n<bdi>\(name)</bdi>"))
        #expect(page.ranges(of: name).count == 1)
        crash.frames[1].function = String(name.prefix(nameLimit))
        #expect(!text(DiagnosticPage(crash, segments: ["d", "1"])).contains("Whole name"))
    }

    @Test("the position in the group is between the links to the newer and the older diagnostic")
    func place() {
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        page.position = (3, 1_037)
        #expect(!text(page).contains("3 of 1,037"), "nothing to go to")
        (page.newer, page.older) = ("n", "o")
        let text = text(page)
        let pattern = /Newer<\/a>\n<span class="note">3 of 1,037<\/span>\n<a [^>]*>Older/
        #expect(text.contains(pattern))
    }

    @Test("the downloads are one menu, which needs no script")
    func downloads() {
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        #expect(!text(page).contains("class=\"menu\""))
        page.downloads = [
            (".crash", LinkTarget(segments: ["d", "1"], query: [("download", "crash")])),
            ("As received", LinkTarget(segments: ["d", "1"], query: [("download", "original")])),
        ]
        let text = text(page)
        let menu = /<details class="menu">\n<summary class="button">Download<\/summary>/
        #expect(text.contains(menu))
        #expect(text.contains("<li>\n<a href=\"/d/1?download=original\">As received</a>"))
        #expect(text.contains("data-copy-from=\"/d/1?download=crash\""))
    }

    @Test("registers are in a fold of their own, below the images")
    func registers() {
        var crash = Example.crash
        crash.details.registers = Registers(
            kind: "ARM Thread State (64-bit)", values: [.init("x0", 0x2a)])
        let text = text(DiagnosticPage(crash, segments: ["d", "1"]))
        #expect(text.contains("id=\"registers\""))
        #expect(text.contains("Thread 0 crashed with ARM Thread State (64-bit)"))
    }

    @Test("attributes are in a closed fold by what they describe, and the report is not repeated")
    func attributes() {
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        #expect(!text(page).contains("id=\"attributes\""))
        page.attributes = [
            AttributeRow(.record, "session.id", "s-1"),
            AttributeRow(.record, "exception.stacktrace", nil),
            AttributeRow(.resource, "service.name", "Shop"),
        ]
        let text = text(page)
        let fold = /<details class="part" id="attributes">\n<summary>\n<b>Attributes<\/b>/
        #expect(text.contains(fold))
        #expect(text.contains(/Of the record<\/th>[^$]*session\.id[^$]*<bdi>s-1<\/bdi>/))
        #expect(text.contains(/Of the resource<\/th>[^$]*service\.name[^$]*<bdi>Shop<\/bdi>/))
        #expect(!text.contains("Of the scope"))
        #expect(text.contains("the report, shown above; </span>\n<a href=\"/d/1?view=original\">"))
    }

    @Test("a long value of an attribute is cut, and whole in a fold; many attributes are counted")
    func longAttributes() {
        let value = "a" + String(repeating: "b", count: nameLimit) + "z"
        var page = DiagnosticPage(Example.crash, segments: ["d", "1"])
        page.attributes = [AttributeRow(.record, "note", value)]
        let cut = text(page)
        #expect(cut.contains("<summary>Whole value</summary>\n<bdi>\(value)</bdi>"))
        #expect(cut.ranges(of: value).count == 1)
        page.attributes = (0..<AttributeTable.rowLimit + 1).map {
            AttributeRow(.record, "key\($0)", "\($0)")
        }
        let many = text(page)
        #expect(many.contains("<bdi>key\(AttributeTable.rowLimit - 1)</bdi>"))
        #expect(!many.contains("<bdi>key\(AttributeTable.rowLimit)</bdi>"))
        #expect(many.contains("1 more attribute"))
    }

    @Test("many threads are cut into parts that lead to each other")
    func manyThreads() {
        var crash = Example.crash
        let count = DiagnosticPage.threadLimit * 2 + 50
        crash.stacks = (0..<count).map { index in
            CallStack(index: index, name: nil, isAttributed: index == 0, frames: 8..<9)
        }
        var page = DiagnosticPage(crash, segments: ["d", "1"])
        func ids() -> [String] {
            text(page).matches(of: /class="thread" id="t(\d+)"/).map { String($0.output.1) }
        }
        #expect(ids() == (0..<200).map(String.init))
        #expect(text(page).contains("href=\"/d/1?thread=200&amp;from=0\">250 more threads</a>"))
        #expect(!text(page).contains("threads before"))
        page.options.thread = 430
        #expect(ids() == (400..<450).map(String.init))
        #expect(text(page).contains("id=\"t430\" open>"))
        #expect(text(page).contains("href=\"/d/1?thread=200&amp;from=0\">400 threads before</a>"))
        #expect(!text(page).contains("more threads"))
        for thread in [-1, 9_999] {
            page.options.thread = thread
            #expect(ids().first == (thread < 0 ? "0" : "400"))
        }
    }

    @Test("a long run of system frames is cut, and leads to the others")
    func longRun() {
        var crash = Example.crash
        var frame = crash.frames[1]
        frame.isInApp = false
        crash.frames =
            [crash.frames[1]]
            + (1..<1_000).map { row in
                frame.parent = row - 1
                frame.physical = row
                frame.function = "f\(row)"
                return frame
            }
        crash.frames[0].isInApp = true
        crash.stacks = [CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<1_000)]
        let text = text(DiagnosticPage(crash, segments: ["d", "1"]))
        #expect(text.contains("999 frames in"))
        #expect(text.contains("href=\"/d/1?frames=all&amp;thread=0&amp;from=201\">799 more frames"))
        #expect(text.contains(">f200<") && !text.contains(">f201<"))
    }

    @Test("a long thread is cut into parts that lead to each other")
    func longThread() {
        var crash = Example.crash
        let frame = crash.frames[1]
        crash.frames = (0..<1_200).map { row in
            var frame = frame
            frame.parent = row == 0 ? nil : row - 1
            frame.physical = row
            frame.offset = ImageOffset(UInt64(row))
            frame.function = "f\(row)"
            return frame
        }
        crash.stacks = [CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<1_200)]
        var page = DiagnosticPage(crash, segments: ["d", "1"])
        func link(from row: Int, _ label: String) -> String {
            "<a class=\"more\" href=\"/d/1?thread=0&amp;from=\(row)\">\(label)</a>"
        }
        #expect(!text(page).contains("rows before"))
        #expect(text(page).contains(link(from: 500, "700 more rows")))
        (page.options.thread, page.options.firstRow) = (0, 500)
        #expect(text(page).contains(link(from: 0, "500 rows before")))
        #expect(text(page).contains(link(from: 1_000, "200 more rows")))
        page.options.firstRow = 1_000
        #expect(text(page).contains(link(from: 500, "1000 rows before")))
        #expect(!text(page).contains("more rows"))
    }

    @Test("a recursion of 300,000 frames fits a page")
    func recursion() {
        var crash = Example.crash
        let frame = crash.frames[1]
        crash.frames = (0..<300_000).map { row in
            var frame = frame
            frame.parent = row == 0 ? nil : row - 1
            frame.physical = row
            return frame
        }
        crash.stacks = [
            CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<300_000)
        ]
        let page = text(DiagnosticPage(crash, segments: ["d", "1"]))
        #expect(page.utf8.count < 50_000)
        #expect(page.contains("× 300,000"))
    }
}

extension SymbolicatedDiagnostic {
    /// The same with a text in place of every name.
    fileprivate func hostile(_ text: String) -> Self {
        var diagnostic = self
        for row in frames.indices {
            diagnostic.frames[row].function = frames[row].function.map { _ in text }
            diagnostic.frames[row].imageName = text
            diagnostic.frames[row].file = frames[row].file.map { _ in
                SourceFile(folder: text, name: text)
            }
        }
        for index in images.indices {
            diagnostic.images[index].name = text
            diagnostic.images[index].architecture = text
        }
        for index in stacks.indices { diagnostic.stacks[index].name = text }
        diagnostic.culprit = text
        diagnostic.exceptionMessage = text
        diagnostic.details.bundleIdentifier = text
        diagnostic.details.appVersion = text
        diagnostic.details.appBuild = text
        diagnostic.details.osVersion = text
        diagnostic.details.terminationReason = text
        return diagnostic
    }
}
