import CallStacks
import ReportFixtures
import Testing

@testable import ReportFormats

@Suite("Image lines")
struct ImageLineTests {
    private let id = ImageID("4c4c448155553144a199bfceae3fe729")

    private func image(_ text: String) -> ListedImage? { ImageLine(bytes(text)[...])?.image }

    @Test("iOS lines have an architecture and an identity without hyphens")
    func iOS() {
        let image = image(
            "       0x104a2c000 -        0x104a33fff Orchard arm64  "
                + "<4c4c448155553144a199bfceae3fe729> /private/var/Orchard.app/Orchard")
        #expect(
            image
                == ListedImage(
                    id: id, name: "Orchard", path: "/private/var/Orchard.app/Orchard",
                    architecture: "arm64", base: RuntimeAddress(0x104a2_c000), size: 0x8000))
    }

    @Test("macOS lines have a mark, a version and hyphens")
    func macOS() {
        let image = image(
            "       0x104a2c000 -        0x104a33fff +com.example.orchard (1.4.0 (217) - 9)"
                + " <4C4C4481-5555-3144-A199-BFCEAE3FE729> /Applications/Orchard Press.app/Orchard")
        #expect(image?.name == "com.example.orchard")
        #expect(image?.id == id)
        #expect(image?.path == "/Applications/Orchard Press.app/Orchard")
        #expect(image?.architecture == nil)
    }

    @Test("names may contain blanks, and an architecture may be in brackets")
    func names() {
        let image = image(
            "0x1000 - 0x1fff Orchard Press (arm64e) <4c4c448155553144a199bfceae3fe729> /a b/Press")
        #expect(image?.name == "Orchard Press")
        #expect(image?.architecture == "arm64e")
        #expect(image?.path == "/a b/Press")
    }

    @Test("an identity and an end address may be missing")
    func missing() {
        #expect(image("0x1000 - 0x1fff Orchard arm64 <(null)> /Orchard")?.id == nil)
        #expect(image("*0x1000 - ??? Orchard (*) /a/Orchard")?.size == nil)
        #expect(image("0x1000 - 0x1fff Orchard /a/Orchard")?.name == "Orchard")
        #expect(image("0x2000 - 0x1fff Orchard /a/Orchard")?.size == nil)
    }

    @Test("other lines are not image lines")
    func others() {
        #expect(image("0x1000 - 0x1fff") == nil)
        #expect(image("0x1000 + 0x1fff Orchard /a") == nil)
        #expect(image("EOF") == nil)
    }
}
