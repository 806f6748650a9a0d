import CallStacks
import Testing

@testable import Pages

@Suite("Lists without rows")
struct EmptyListTests {
    private let now = UnixTime(rawValue: 10_000_000)

    private func builds(app: String?) -> String {
        var page = BuildListPage(builds: [], now: now)
        page.app = app
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    private func versions(app: String?, coverage: [VersionCoverageRow] = []) -> String {
        var page = VersionsPage(changes: [], apps: [])
        page.app = app
        page.coverage = coverage
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("builds: a filter that matches nothing is named as the reason, with the whole list")
    func builds() {
        let filtered = builds(app: "shop")
        #expect(filtered.contains("No build matches the filter."))
        #expect(filtered.contains("<a href=\"/builds\">All builds ×</a>"))
        #expect(!filtered.contains("No builds have been uploaded"))
        #expect(builds(app: nil).contains("No builds have been uploaded yet."))
    }

    @Test("versions: a filter that matches nothing is named as the reason, with the whole list")
    func versions() {
        let filtered = versions(app: "shop")
        #expect(filtered.contains("No version matches the filter."))
        #expect(filtered.contains("<a href=\"/versions\">All versions ×</a>"))
        #expect(!filtered.contains("No metrics"))
        #expect(versions(app: nil).contains("No metrics have been received yet."))
    }

    @Test("versions: an app with diagnostics and without metrics lacks metrics only")
    func withoutMetrics() {
        let row = VersionCoverageRow(
            app: "shop", version: "1.4.0", diagnostics: 1, frames: 2, resolvedFrames: 1)
        let text = versions(app: "shop", coverage: [row])
        #expect(text.contains("No metrics of this app have been received yet."))
        #expect(!text.contains("matches the filter"))
    }

    @Test("versions: diagnostics without an app are those of an unknown app, with their version")
    func unknownApp() {
        let row = VersionCoverageRow(
            app: nil, version: "1.4.0", diagnostics: 1, frames: 2, resolvedFrames: 1)
        let text = versions(app: nil, coverage: [row])
        #expect(text.contains("<td><bdi>unknown</bdi></td><td><bdi>1.4.0</bdi></td>"))
    }

    @Test("the page of a system image has the command for systems, that of another one for builds")
    func systemImage() {
        func text(isOfSystem: Bool) -> String {
            var page = ImagePage(Example.shop, now: now)
            page.missing = MissingRow(
                name: "libc.dylib", id: Example.shop, architecture: nil, app: "shop",
                version: "1.4.0", build: "217", waiting: 1, lastSeen: now, reason: "")
            page.isOfSystem = isOfSystem
            return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        }
        let system = text(isOfSystem: true)
        #expect(system.contains("This image belongs to the operating system"))
        #expect(system.contains("symbolist upload --system PATH"))
        #expect(!system.contains("mdfind") && !system.contains("--app"))
        #expect(text(isOfSystem: false).contains("--app shop"))
    }

    @Test("missing images: the list of an app is not called that of all apps")
    func missing() {
        func text(app: String?) -> String {
            let page = MissingPage(filter: MissingPage.Filter(app: app), now: now)
            return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        }
        #expect(text(app: "shop").contains("waiting for symbols of this app."))
        #expect(text(app: nil).contains("waiting for symbols of apps."))
    }
}
