import TestSupport
import Testing

@testable import ServiceClient

@Suite("Path filters", .ownThreads)
struct PathFilterTests {
    private let path = "build/dSYMs/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard"

    @Test(
        "a pattern matches a name, the folders above it, or a part of the path",
        arguments: [
            "Orchard", "Orch*", "Orchard.app.dSYM", "*.dSYM", "dSYMs/*.dSYM", "build/dSYMs",
            "?ontents", "[A-D]ontents/Resources",
        ])
    func matching(pattern: String) {
        #expect(PathFilter(including: [pattern], excluding: []).contains(path))
        #expect(!PathFilter(including: [], excluding: [pattern]).contains(path))
        #expect(PathFilter(including: ["no", pattern], excluding: ["no"]).contains(path))
    }

    @Test(
        "an asterisk stops at a slash, and names match as a whole",
        arguments: ["rchard", "build*Orchard", "dSYMs/*/*.dSYM", "a/b/c/d/e/f/g/h/i", ""])
    func notMatching(pattern: String) {
        #expect(!PathFilter(including: [pattern], excluding: []).contains(path))
    }

    @Test("without patterns every path matches, except excluded ones")
    func both() {
        #expect(PathFilter.all.contains(path))
        #expect(!PathFilter(including: ["*.dSYM"], excluding: ["Orchard"]).contains(path))
    }
}
