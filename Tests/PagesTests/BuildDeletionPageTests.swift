import CallStacks
import Testing

@testable import Pages

@Suite("The page that deletes a build")
struct BuildDeletionPageTests {
    private let now = UnixTime(rawValue: 10_000_000)

    private func page(_ files: [DebugFileRow]) -> BuildDeletionPage {
        let build = Build(app: "<shop>", version: "1.4.0", build: "217")
        return BuildDeletionPage(
            build: BuildRow(build: build, lastUpload: now), files: files)
    }

    private func text(_ page: BuildDeletionPage) -> String {
        String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("it lists the files that go and those that stay, their size, and the diagnostics")
    func content() {
        var page = page([
            DebugFileRow(
                image: Example.shop, name: "Shop", kind: "dSYM", architecture: "arm64",
                quality: "lines", owner: "<shop>", byteCount: 1_200_000, upload: now, warnings: [])
        ])
        page.build.images = [
            .init(
                id: Example.shop, name: "ShopKit", architecture: "arm64", quality: "lines",
                hasLines: true)
        ]
        page.byteCount = 1_200_000
        page.kept = [.init(id: Example.pay, name: "Pay", reason: "uploaded for all apps")]
        page.diagnostics = .init(readable: 1_000, isLowerBound: true, waiting: 3)
        let text = text(page)
        #expect(text.contains("<h1><bdi>Delete &lt;shop&gt; 1.4.0 (217)?</bdi></h1>"))
        #expect(text.contains("This removes the build and 1 debug file, 1.2 MB."))
        #expect(text.contains(/Removed<\/h2>[^$]*ShopKit[^$]*Kept<\/h2>[^$]*uploaded for all apps/))
        #expect(text.contains("<dd>at least 1,000</dd>"))
        #expect(text.contains("<dt>Waiting for symbols</dt><dd>3</dd>"))
        #expect(text.contains("these pages show addresses"))
        let form = "method=\"post\" action=\"/builds/%3Cshop%3E/1.4.0/217/delete\""
        #expect(text.contains(form))
        #expect(text.contains("href=\"/builds/%3Cshop%3E/1.4.0/217\">Cancel</a>"))
    }

    @Test("a build without files of its own loses none, and diagnostics are not always counted")
    func empty() {
        let text = text(page([]))
        #expect(text.contains("No debug file is removed."))
        #expect(!text.contains("<h2>"))
        #expect(text.contains("method=\"post\""))
    }
}
