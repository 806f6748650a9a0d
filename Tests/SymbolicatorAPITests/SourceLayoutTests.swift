import CallStacks
import Testing

@testable import SymbolicatorAPI

@Suite("Layouts of symbol servers")
struct SourceLayoutTests {
    private static let mac = "67e9247c814e392ba027dbde6748fcbf"
    private static let elf = "1326c62d86757ec9ee08062efb30baa5d36dc121"

    @Test(
        "a path has an identity and a kind of file",
        arguments: [
            ("67/e9247c814e392ba027dbde6748fcbf/debuginfo", mac, .debugInformation),
            ("67/e9247c814e392ba027dbde6748fcbf/executable", mac, .code),
            ("13/26c62d86757ec9ee08062efb30baa5d36dc121/debuginfo", elf, .debugInformation),
            ("67E9/247C/814E/392B/A027/DBDE6748FCBF", mac, .debugInformation),
            ("67E9/247C/814E/392B/A027/DBDE6748FCBF.app", mac, .code),
            ("13/26c62d86757ec9ee08062efb30baa5d36dc121.debug", elf, .debugInformation),
            ("13/26c62d86757ec9ee08062efb30baa5d36dc121", elf, .code),
            (
                "_.dwarf/mach-uuid-sym-67e9247c814e392ba027dbde6748fcbf/_.dwarf", mac,
                .debugInformation
            ),
            ("Shop/mach-uuid-67E9247C814E392BA027DBDE6748FCBF/Shop", mac, .code),
            ("_.debug/elf-buildid-sym-\(elf)/_.debug", elf, .debugInformation),
            ("libx.so/elf-buildid-\(elf)/libx.so", elf, .code),
        ] as [(String, String, SourceLayout.Kind)])
    func paths(path: String, image: String, kind: SourceLayout.Kind) {
        let layout = SourceLayout(path: path.split(separator: "/").map(String.init))
        #expect(layout?.image == ImageID(image))
        #expect(layout?.kind == kind)
    }

    @Test(
        "other paths have none",
        arguments: [
            "", "67", "67/xyz/debuginfo", "67/e9/sourcebundle", "67/e9/bcsymbolmap", "a/b/c",
            "Shop/mach-uuid-/Shop", "67E9/247C/814E/392B/A027/xyz", "67e9/247c/debuginfo",
        ])
    func others(path: String) {
        #expect(SourceLayout(path: path.split(separator: "/").map(String.init)) == nil)
    }
}
