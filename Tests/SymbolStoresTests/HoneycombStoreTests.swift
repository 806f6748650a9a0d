import CallStacks
import Foundation
import Symbolication
import TestSupport
import Testing

@testable import SymbolStores

/// Folders as Honeycomb's `dsym_symbolicator` reads them, copied from a disk or a bucket:
/// `PREFIX/UUID.dSYM/Contents/Resources/DWARF/NAME`, with the UUID as its senders wrote it.
@Suite("dSYM stores of Honeycomb's processor")
struct HoneycombStoreTests {
    private static let kit = ImageID("4C4C44E3-5555-3144-A103-3964DAADDC31")!

    @Test(
        "a store is read as it is, by the identities in its files",
        arguments: [
            "4C4C44E3-5555-3144-A103-3964DAADDC31", "4c4c44e3-5555-3144-a103-3964daaddc31",
            "00000000-0000-0000-0000-000000000000",
        ])
    func store(name: String) async throws {
        let folder = try TestFolder()
        let file = projectFolder.appendingPathComponent(
            "Symbols/orchard-1.4.0-arm64-release-dwarf4/OrchardKit.framework.dSYM/Contents/"
                + "Resources/DWARF/OrchardKit")
        try folder.write(
            [UInt8](try Data(contentsOf: file)),
            to: "store/ios/\(name).dSYM/Contents/Resources/DWARF/Orchard Kit")
        let inventory = SymbolInventory(paths: [folder.path("store")])
        #expect(inventory.problems.isEmpty)
        let symbols = LocalSymbolProvider(inventory, cachedIn: nil)
        #expect(
            await symbols.names(Self.kit, at: ImageOffset(0x4170)) == ["hash_weight", "hash_row"])
    }
}
