import CallStacks
import Testing

@testable import ReportFormats

@Suite("Rows of Swift backtraces")
struct SwiftRowTests {
    private func read(_ line: String) -> SwiftRow? { SwiftRow(Array(line.utf8)) }

    @Test("a row has an index, attributes, an address and a text")
    func parts() throws {
        let row = try #require(
            read(
                "  4 [async] [system] 0x00005572688ad3b0 weigh(_:) + 8 in orchard at /src/a.swift:8"
            ))
        #expect(row.index == 4)
        #expect(row.attributes == ["async", "system"])
        #expect(row.address?.value == 0x5572_688a_d3b0)
        #expect(row.site == .resumePoint)
        #expect(row.rest == "weigh(_:) + 8 in orchard at /src/a.swift:8")
    }

    @Test(
        "rows of omitted frames have no address", arguments: ["...", "   ...", "47      ..."])
    func gaps(line: String) throws {
        let row = try #require(read(line))
        #expect(row.address == nil)
        #expect(row.index == (line.hasPrefix("47") ? 47 : nil))
    }

    @Test(
        "other lines are not rows",
        arguments: [
            "", "0", "  8|     return crates[index]", "rax 0x00005572688ad3b0  42",
            "0 [ra] weigh(_:) + 8 in orchard", "... and more", "0 0x12", "0 0x00005572688ad3b0g",
            "99999999999999999999 0x00005572688ad3b0", "0x00005572688ad3b0 weigh(_:)",
        ])
    func others(line: String) { #expect(read(line) == nil) }

    @Test("functions, images and locations are read, whatever words a name contains")
    func texts() {
        let images: Set<String> = ["orchard", "in house"]
        let text = SwiftRowText(
            "closure #1 in closure #2 in weigh(_:) + 148 in orchard at /src/made in house/a.swift:8:23",
            images: images)
        #expect(text.name == "closure #1 in closure #2 in weigh(_:)")
        #expect(text.distance == "+ 148")
        #expect(text.image == "orchard")
        #expect(text.location == "/src/made in house/a.swift:8:23")
        #expect(
            text.given(isInlined: false)
                == ReportedFunction(
                    name: "closure #1 in closure #2 in weigh(_:)", distance: 148,
                    file: SourceFile(folder: "/src/made in house", name: "a.swift"), line: 8,
                    column: 23))
        #expect(SwiftRowText("closure #1 in weigh(_:)", images: []).image == "weigh(_:)")
        #expect(SwiftRowText("weigh(_:) in press.so", images: images).image == "press.so")
        #expect(SwiftRowText("weigh(_:)", images: images).image == nil)
    }

    @Test("unknown functions and compiler-generated files are nil")
    func unknown() {
        #expect(SwiftRowText("<unknown> in orchard", images: []).given(isInlined: false) == nil)
        let thunk = SwiftRowText("a thunk in orchard at //<compiler-generated>", images: [])
        #expect(thunk.given(isInlined: true)?.file == nil)
        #expect(thunk.given(isInlined: true)?.name == "a thunk")
    }

    @Test(
        "a row is divided without loss",
        arguments: [
            "weigh(_:) + 148 in orchard at /src/a.swift:8:23", "weigh(_:)", "a + b in orchard",
            "<unknown> in orchard", "x - 4 in orchard at a.swift", " in orchard", "+ 4 in orchard",
        ])
    func roundTrip(text: String) {
        #expect(SwiftRowText(text, images: ["orchard"]).text == text)
    }

    @Test("an image row has a range, an identity, a name and a path")
    func images() throws {
        let line = "0x0000555555554000–0x0000555555557b30 988da2 in house (2)   /srv/in house/x"
        let image = try #require(ListedImage(swiftRow: Array(line.utf8)))
        #expect(image.id == ImageID("988da2"))
        #expect(image.name == "in house (2)")
        #expect(image.path == "/srv/in house/x")
        #expect(image.base == RuntimeAddress(0x5555_5555_4000))
        #expect(image.size == 0x3b30)
        let nameless = "0x1000–0x2000 <no build ID> vdso <unknown>"
        #expect(ListedImage(swiftRow: Array(nameless.utf8))?.id == nil)
        #expect(ListedImage(swiftRow: Array(nameless.utf8))?.name == "vdso")
    }

    @Test("an image row may have a Windows path")
    func windowsPath() throws {
        let line =
            #"0x00007ff6c1a90000–0x00007ff6c1aa8000 <no build ID>  press.exe  C:\a b\press.exe"#
        let image = try #require(ListedImage(swiftRow: Array(line.utf8)))
        #expect(image.name == "press.exe")
        #expect(image.path == #"C:\a b\press.exe"#)
    }

    @Test(
        "other lines are not image rows",
        arguments: [
            "0x2000–0x1000 ab orchard /x", "0x1000-0x2000 ab orchard /x", "0x1000–0x2000",
            "rax 0x1000–0x2000 ab", "0x1000–0x2000 xyz orchard /x",
        ])
    func noImages(line: String) { #expect(ListedImage(swiftRow: Array(line.utf8)) == nil) }
}

extension SwiftRowText {
    fileprivate var text: String {
        var text = name
        if let distance { text += " " + distance }
        if let image { text += " in " + image }
        if let location { text += " at " + location }
        return text
    }
}
