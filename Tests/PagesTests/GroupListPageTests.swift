import CallStacks
import Testing

@testable import Pages

@Suite("The page of groups")
struct GroupListPageTests {
    private func text(_ filter: GroupListPage.Filter) -> String {
        let page = GroupListPage(filter: filter, now: UnixTime(rawValue: 10_000_000))
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("each active filter is a pill that removes this filter only, also without any group")
    func pills() {
        var filter = GroupListPage.Filter()
        filter.app = "shop"
        filter.kind = .hang
        filter.version = "1.4.0"
        filter.status = .raw
        filter.sort = .count
        filter.text = "<b>"
        let text = text(filter)
        for (pill, query) in [
            ("App <bdi>shop</bdi>", "kind=hang&amp;status=raw&amp;sort=count&amp;q=%3Cb%3E"),
            (
                "Kind <bdi>Hangs</bdi>",
                "app=shop&amp;version=1.4.0&amp;status=raw&amp;sort=count&amp;q=%3Cb%3E"
            ),
            (
                "Version <bdi>1.4.0</bdi>",
                "app=shop&amp;kind=hang&amp;status=raw&amp;sort=count&amp;q=%3Cb%3E"
            ),
            (
                "Symbols <bdi>raw</bdi>",
                "app=shop&amp;kind=hang&amp;version=1.4.0&amp;sort=count&amp;q=%3Cb%3E"
            ),
            (
                "Text <bdi>&lt;b&gt;</bdi>",
                "app=shop&amp;kind=hang&amp;version=1.4.0&amp;status=raw&amp;sort=count"
            ),
        ] {
            #expect(text.contains("<a href=\"/?\(query)\">\(pill) ×</a>"), "\(pill)")
        }
        #expect(text.contains("No group matches the filter."))
    }

    @Test("a list in another order has no pill, and is not called filtered")
    func order() {
        var filter = GroupListPage.Filter()
        filter.sort = .count
        let text = text(filter)
        #expect(!text.contains("class=\"pills\""))
        #expect(text.contains("No crashes or hangs have been received yet"))
        #expect(text.contains("<option value=\"count\" selected>most diagnostics</option>"))
    }

    @Test("a filter keeps a value that its menu does not list")
    func unlisted() {
        var filter = GroupListPage.Filter()
        (filter.app, filter.version) = ("<gone>", "0.9")
        let text = text(filter)
        #expect(text.contains("<option value=\"&lt;gone&gt;\" selected>&lt;gone&gt;</option>"))
        #expect(text.contains("<option value=\"0.9\" selected>0.9</option>"))
        #expect(!text.contains("<option value=\"raw\" selected>"))
    }

    @Test("menus send names without characters that HTML does not allow")
    func controls() {
        var filter = GroupListPage.Filter()
        filter.app = "a\u{1}b"
        #expect(text(filter).contains("<option value=\"a\u{fffd}b\" selected>a\u{fffd}b</option>"))
    }

    @Test("hangs have a section of their own in the navigation")
    func sections() {
        let link = #/<a href="([^"]*)" aria-current="page">(Crashes|Hangs)<\/a>/#
        var filter = GroupListPage.Filter()
        #expect(text(filter).firstMatch(of: link)?.output.2 == "Crashes")
        #expect(text(filter).contains("<h1>Crashes and hangs</h1>"))
        filter.kind = .hang
        let match = text(filter).firstMatch(of: link)?.output
        #expect(match?.1 == "/?kind=hang")
        #expect(match?.2 == "Hangs")
        #expect(text(filter).contains("<h1>Hangs</h1>"))
    }

    @Test("groups name their app in a list of several apps only")
    func apps() {
        var page = GroupListPage(
            filter: GroupListPage.Filter(), now: UnixTime(rawValue: 10_000_000))
        page.rows = [
            GroupRow(
                app: "shop<1>", fingerprint: "1:a", title: "Crash", kind: .crash, count: 1,
                lastSeen: page.now)
        ]
        func text() -> String { String(decoding: page.page(in: PagesTests.context), as: UTF8.self) }
        page.apps = ["shop<1>", "other"]
        #expect(text().contains("<td><bdi>shop&lt;1&gt;</bdi></td>"))
        page.apps = ["shop<1>"]
        #expect(!text().contains("<td><bdi>shop&lt;1&gt;</bdi></td>"))
    }
}
