import CallStacks
import Testing

@testable import Pages

@Suite("Names in scripts from right to left")
struct ForeignNameTests {
    private static let name = "תפוחים"

    private func text(_ diagnostic: SymbolicatedDiagnostic) -> String {
        let page = DiagnosticPage(diagnostic, segments: ["d", "1"])
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("the offset after an image and the line after a file are outside of their names")
    func frames() {
        var crash = Example.crash
        crash.frames[2].imageName = Self.name
        crash.frames[0].file = SourceFile(folder: "", name: "\(Self.name).swift")
        let text = text(crash)
        #expect(text.contains("<bdi>\(Self.name)</bdi> +0x200"))
        #expect(text.contains("<bdi>\(Self.name).swift</bdi>:21"))
    }

    @Test("the offset after an image is outside of its name in the tables of a flame graph")
    func flames() {
        var hang = Example.hang
        hang.frames[5].function = nil
        hang.frames[5].mangled = nil
        hang.frames[5].imageName = Self.name
        #expect(text(hang).contains("\(Self.name)</bdi> +0x"))
    }
}
