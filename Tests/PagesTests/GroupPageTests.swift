import CallStacks
import Testing

@testable import Pages

@Suite("The page of a group")
struct GroupPageTests {
    private let now = UnixTime(rawValue: 10_000_000)

    private var page: GroupPage {
        var row = GroupRow(
            app: "shop", fingerprint: "1:a", title: "Crash", kind: .crash, count: 3, lastSeen: now)
        row.days = [0, 1, 2]
        var page = GroupPage(group: row, firstSeen: now, now: now)
        page.rows = [
            DiagnosticRow(
                uid: "u", status: .partial, app: "shop", version: "1", build: nil,
                time: now, frames: (1, 2))
        ]
        return page
    }

    private func text(_ page: GroupPage) -> String {
        String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("stacks that cannot be read are a sentence, and the rest of the page remains")
    func problem() {
        var page = page
        page.stackProblem = "entry 7: <damaged>"
        let text = text(page)
        #expect(text.contains("The stacks cannot be shown: <bdi>entry 7: &lt;damaged&gt;</bdi>"))
        #expect(text.contains("3 in the last 3 days"))
        #expect(text.contains("href=\"/d/u\""))
    }

    @Test("the tab is named by function, app and newest version, and never by a message")
    func tab() {
        var page = page
        page.group.title = "Fatal error: secret — total()"
        #expect(text(page).contains("<title>Crash, shop · Symbolist</title>"))
        page.group.culprit = "total()"
        page.group.versions = ["1.4.0", "1.3.0"]
        #expect(text(page).contains("<title>total(), shop 1.4.0 · Symbolist</title>"))
    }

    @Test("the newest diagnostic has a link above its stack")
    func newest() {
        var page = page
        page.newest = Example.crash
        #expect(text(page).contains("<h2><a href=\"/d/u\">Newest diagnostic</a></h2>"))
        #expect(text(page).contains("<dt>Kind</dt><dd><bdi>Crash</bdi></dd>"))
    }
}
