import Testing

@testable import SymbolUpload

@Suite("Choice of paths")
struct PathChoiceTests {
    private let path = "build/dSYMs/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"

    @Test(
        "a pattern fits a name, the folders above it, or a piece of the path",
        arguments: [
            "Orchard", "Orch*", "Orchard.app.dSYM", "*.dSYM", "dSYMs/*.dSYM", "build/dSYMs",
            "?ontents", "[A-D]ontents/Resources",
        ])
    func fitting(pattern: String) {
        #expect(PathChoice(including: [pattern], excluding: []).contains(path))
        #expect(!PathChoice(including: [], excluding: [pattern]).contains(path))
        #expect(PathChoice(including: ["no", pattern], excluding: ["no"]).contains(path))
    }

    @Test(
        "an asterisk stops at a slash, and names are compared whole",
        arguments: ["rchard", "build*Orchard", "dSYMs/*/*.dSYM", "a/b/c/d/e/f/g/h/i", ""])
    func notFitting(pattern: String) {
        #expect(!PathChoice(including: [pattern], excluding: []).contains(path))
    }

    @Test("without patterns every path counts, and what is excluded stays out")
    func both() {
        #expect(PathChoice.all.contains(path))
        #expect(!PathChoice(including: ["*.dSYM"], excluding: ["Orchard"]).contains(path))
    }
}
