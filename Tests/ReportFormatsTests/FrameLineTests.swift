import CallStacks
import ReportFixtures
import Testing

@testable import ReportFormats

@Suite("Frame lines")
struct FrameLineTests {
    private func frame(_ text: String) -> FrameLine? { FrameLine(bytes(text)[...]) }

    @Test(
        "a frame line is read whatever its image is called",
        arguments: [
            ("0   Orchard          \t0x0000000104a2fb34 0x104a2c000 + 15156", "Orchard"),
            ("12  Orchard Press (*)  0x104a2fb34 0x104a2c000 + 15156", "Orchard Press"),
            (
                "3   com.example.orchard.press  \t0x104a2fb34 press + 12",
                "com.example.orchard.press"
            ),
            ("4   ...hardKit.Service   0x104a2fb34 press + 12", "...hardKit.Service"),
            ("18  (null)\t0x104a2fb34 0x0 + 4372757300", "(null)"),
            ("  7 Orchard 0x104a2fb34", "Orchard"),
        ])
    func image(text: String, image: String) {
        let line = frame(text)
        #expect(line?.image == image)
        #expect(line?.address == 0x104a2_fb34)
    }

    @Test("a frame line has the positions of its fields")
    func places() throws {
        let text = "2   Press\t  0x104a2fb34 press + 8 (Press.swift:13) [inlined]  "
        let line = try #require(frame(text))
        #expect(line.number == 2)
        let content = bytes(text)
        #expect(content.prefix(line.addressEnd).elementsEqual(bytes("2   Press\t  0x104a2fb34")))
        let rest = content[line.restRange.clamped(to: content.indices)]
        #expect(rest.elementsEqual(bytes("press + 8 (Press.swift:13) [inlined]")))
        #expect(content.dropFirst(line.imageStart).first == UInt8(ascii: "P"))
    }

    @Test(
        "other lines are not frame lines",
        arguments: [
            "", "Orchard 0x104a2fb34", "0x104a2fb34 - 0x104a2ffff Orchard", "0 Orchard press + 4",
            "5 0x104a2fb34", "    x0: 0x0000000000000000   x1: 0x0000000000000001",
            "1234567 Orchard 0x104a2fb34", "0 Orchard 0x123456789abcdef01 x",
        ])
    func others(text: String) { #expect(frame(text) == nil) }

    @Test("raw offsets are distinguished from symbols")
    func raw() {
        let raw = frame("0 Orchard 0x104a2fb34 0x104a2c000 + 15156")?.rest
        #expect(raw?.raw == .init(base: 0x104a2_c000, offset: 15156))
        #expect(raw?.function == nil)
        let nearest = frame("0 Orchard 0x104a2fb34 0x104a2c000 + 15156 (press + 20)")?.rest
        #expect(nearest?.raw?.offset == 15156)
        #expect(nearest?.function == ReportedFunction(name: "press", distance: 20))
        let noted = frame("0 Orchard 0x8 0x8000 + 0x15 // -[Press squeeze:] + 0x67")?.rest
        #expect(noted?.raw == .init(base: 0x8000, offset: 21))
        #expect(noted?.function == ReportedFunction(name: "-[Press squeeze:]", distance: 103))
        let bracketed = frame("0 Orchard 0x8 0x8000 + 21 (-[Press squeeze:(int)] + 103)")?.rest
        #expect(bracketed?.function?.name == "-[Press squeeze:(int)]")
    }

    @Test("a raw offset after an inserted name takes precedence")
    func wrapped() {
        let rest = frame(
            "2 Orchard 0x104a2fb34 closure #1 in press() (in Orchard) (Press.swift:7)"
                + " 0x104a2c000 + 15156")?.rest
        #expect(rest?.raw == .init(base: 0x104a2_c000, offset: 15156))
        #expect(rest?.function?.name == "closure #1 in press()")
        #expect(rest?.function?.line == 7)
    }

    @Test(
        "text that a script around atos leaves after a name is not part of the name",
        arguments: [
            ("press() (in Orchard) (Press.swift:0) 0x104a2c000 + 15156", "Press.swift"),
            ("press() (in Orchard) (Press.swift:0) main + 116", "Press.swift"),
            ("press() (in Orchard) (/<compiler-generated>:0) main + 9", "<compiler-generated>"),
        ])
    func atos(text: String, file: String) {
        #expect(
            frame("2 Orchard 0x104a2fb34 \(text)")?.rest.function
                == ReportedFunction(name: "press()", file: SourceFile(folder: "", name: file)))
        let symbol = frame("2 Orchard 0x104a2fb34 press() (in Orchard) + 28")?.rest.function
        #expect(symbol == ReportedFunction(name: "press()", distance: 28))
        #expect(frame("2 Orchard 0x104a2fb34 0x104a2c0")?.rest.function == nil)
    }

    @Test("a UUID instead of an address is the image's identity")
    func identity() {
        let rest = frame(
            "0 Orchard 0x104a2fb34 4C4C4481-5555-3144-A199-BFCEAE3FE729 + 15156")?.rest
        #expect(rest?.identity?.id == ImageID("4C4C4481-5555-3144-A199-BFCEAE3FE729"))
        #expect(rest?.identity?.offset == 15156)
    }

    @Test(
        "functions are read in every notation of Apple's tools",
        arguments: [
            ("press", ReportedFunction(name: "press")),
            ("press + 8", ReportedFunction(name: "press", distance: 8)),
            ("operator+ + 8", ReportedFunction(name: "operator+", distance: 8)),
            (
                "press(_:) + 8 (Press.swift:13)",
                ReportedFunction(
                    name: "press(_:)", distance: 8,
                    file: SourceFile(folder: "", name: "Press.swift"), line: 13)
            ),
            (
                "press(_:) (/src/Press.swift:13:9) [inlined]",
                ReportedFunction(
                    name: "press(_:)", file: SourceFile(folder: "/src", name: "Press.swift"),
                    line: 13, column: 9, isInlined: true)
            ),
            ("-[Press squeeze] (.cold.1)", ReportedFunction(name: "-[Press squeeze] (.cold.1)")),
        ])
    func functions(text: String, expected: ReportedFunction) {
        #expect(frame("0 Orchard 0x104a2fb34 \(text)")?.rest.function == expected)
    }

    @Test(
        "placeholders for unknown names are not functions",
        arguments: ["???", "<redacted>", "(null)"])
    func unnamed(text: String) {
        #expect(frame("0 Orchard 0x104a2fb34 \(text)")?.rest.function == nil)
    }
}
