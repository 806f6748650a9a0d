import CallStacks
import Testing

@testable import Pages

@Suite("The page of missing symbols")
struct MissingPageTests {
    private let now = UnixTime(rawValue: 10_000_000)

    private func row(_ name: String, app: String? = "shop") -> MissingRow {
        MissingRow(
            name: name, id: Example.shop, architecture: "arm64", app: app, version: "1.4.0",
            build: "217", waiting: 3, lastSeen: now, reason: "never uploaded")
    }

    private func refusal(_ name: String, app: String? = "shop") -> RefusedUpload {
        RefusedUpload(
            name: name, reason: "truncated <archive>", time: UnixTime(rawValue: 9_700_000),
            app: app, version: "1.4.0", build: nil)
    }

    @Test("a refused upload is about the image of its name, of the same app and version")
    func match() {
        let upload = refusal("Shop.app.dSYM/Contents/Resources/DWARF/Shop")
        #expect(upload.isAbout(row("Shop")))
        #expect(!upload.isAbout(row("Pay")))
        #expect(!upload.isAbout(row("Shop", app: "other")))
        #expect(refusal("Shop", app: nil).isAbout(row("Shop", app: "other")))
        var other = row("Shop")
        other.version = "1.5.0"
        #expect(!upload.isAbout(other))
    }

    @Test("the reason of a missing image is that its upload was refused")
    func reason() {
        var missing = row("Shop")
        missing.refusal = refusal("Shop")
        var page = MissingPage(now: now)
        page.app = [missing]
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        #expect(text.contains("5 min ago"))
        #expect(text.contains("truncated &lt;archive&gt;"))
        #expect(!text.contains("never uploaded"))
    }

    @Test("a build says how many diagnostics wait, at least if they may wait for several images")
    func waiting() {
        var page = MissingPage(now: now)
        page.app = [row("Shop")]
        var text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        #expect(text.contains("> 3 diagnostics wait<"))
        page.app.append(row("Kit"))
        text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        #expect(text.contains("> at least 3 diagnostics wait<"))
    }

    @Test("each UUID has a button that copies it, also where an image waits for two apps")
    func copying() {
        var page = MissingPage(now: now)
        page.app = [row("Shop"), row("Shop"), row("Shop", app: "other")]
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        for id in ["image0-0", "image0-1", "image1-0"] {
            let link = "<a href=\"/images/\(Example.shop)\" id=\"\(id)\">"
            #expect(text.ranges(of: link).count == 1)
            #expect(text.contains("data-copy=\"\(id)\" aria-label=\"Copy \(Example.shop)\""))
        }
    }

    @Test("each image has its own command, and the images of a build have one for all of them")
    func commands() {
        var kit = row("Kit")
        kit.id = Example.pay
        var page = MissingPage(now: now)
        page.app = [row("Shop"), kit, row("Shop", app: "other")]
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        func command(_ id: String) -> [Substring] {
            let pattern = try? Regex("id=\"\(id)\">([^<]*)</pre>")
            let found = pattern.flatMap { try? $0.firstMatch(in: text) }
            return found?.output[1].substring?.split(separator: "\n") ?? []
        }
        let upload = "symbolist upload PATH --server http://127.0.0.1:4318 --app shop"
        for (id, images) in [
            ("command0-0", [Example.shop]), ("command0-1", [Example.pay]),
            ("command0", [Example.shop, Example.pay]),
        ] {
            let lines = command(id)
            #expect(lines.count == 2)
            let search = images.map { "com_apple_xcode_dsym_uuids == \($0)" }
                .joined(separator: " || ")
            #expect(lines.first == "mdfind &#39;\(search)&#39;", "\(id)")
            #expect(lines.last?.hasPrefix(upload) == true, "\(id)")
        }
        #expect(text.contains("<details><summary>Command for <bdi>Kit</bdi>"))
        #expect(text.contains("<details open><summary>Command for <bdi>Shop</bdi>"))
        #expect(!text.contains("id=\"command1\""), "one image has one command")
    }

    @Test("the command for many images searches for the first ones, and says so")
    func manyImages() {
        var page = MissingPage(now: now)
        page.app = (0..<23).compactMap { number in
            var row = row("Image\(number)")
            row.id = ImageID(bytes: [UInt8](repeating: UInt8(number), count: 16)) ?? row.id
            return row
        }
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        let longest = text.matches(of: /<pre[^>]*>([^<]*)<\/pre>/)
            .map { $0.output.1.ranges(of: "com_apple_xcode_dsym_uuids").count }.max()
        #expect(longest == ImageSearchCommands.imageLimit)
        #expect(text.contains("search for the first 20 images, not for 3 more images."))
        page.app.removeLast(3)
        let all = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        #expect(!all.contains("search for the first"))
    }

    @Test("images without a UUID have a search each")
    func buildIDs() {
        let program = ImageID(bytes: [UInt8](repeating: 1, count: 20))
        let search = ImageSearchCommands(
            for: [Example.shop, program, Example.pay].compactMap(\.self))
        #expect(search.commands.count == 2)
        #expect(search.commands.first?.contains("\(Example.pay)") == true)
        #expect(search.commands.last?.hasPrefix("find /") == true)
    }

    @Test("an empty list changes when the first image is missing, a list of system images does not")
    func state() {
        func text(_ page: MissingPage) -> String {
            String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        }
        var page = MissingPage(now: now)
        #expect(text(page).contains("<h1 data-state=\"\" data-live>"))
        page.app = [row("Shop")]
        #expect(text(page).contains("data-state=\"\(Example.shop):3\""))
        let system = MissingPage(filter: MissingPage.Filter(showsSystem: true), now: now)
        #expect(!text(system).contains("data-state"))
    }

    @Test("the filter by app is a pill that removes it")
    func pill() {
        let page = MissingPage(
            filter: MissingPage.Filter(app: "<shop>", showsSystem: true), now: now)
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        let link = "<a href=\"/missing?scope=system\">App <bdi>&lt;shop&gt;</bdi> ×</a>"
        #expect(text.contains(link))
    }
}
