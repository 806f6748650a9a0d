import CallStacks
import DebugFiles
import Foundation
import SymbolStores
import TestSupport
import Testing

@Suite("Files of two builds side by side")
struct IdentityMismatchTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func machO(_ number: UInt8, fileType: UInt32 = 6) -> [UInt8] {
        var file = MachOBuilder.library()
        file.fileType = fileType
        file.uuid = [UInt8](repeating: number, count: 16)
        return file.bytes()
    }

    /// The paths of slices with such a warning, with its text.
    private func mismatches() -> [String] {
        DebugFileInspection(paths: [folder.path("a")]).slices.flatMap { slice in
            slice.warnings.filter { $0.code == .identityMismatch }.map {
                "\(folder.relative(slice.path)): \($0.text)"
            }
        }
    }

    private let bundled = "a/Kit.framework.dSYM/Contents/Resources/DWARF/Kit"

    @Test("a dSYM next to its image from another build is reported with both identities")
    func dSYM() throws {
        try folder.write(machO(1, fileType: 10), to: bundled)
        try folder.write(machO(2), to: "a/Kit.framework/Kit")
        let id = ImageID(bytes: [UInt8](repeating: 2, count: 16))!
        let told = mismatches()
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("\(bundled): '") == true)
        #expect(told.first?.contains("Kit.framework/Kit' is \(id), so of another build") == true)
    }

    @Test("a folder with several builds has no mismatch")
    func severalBuilds() throws {
        try folder.write(machO(1, fileType: 10), to: bundled)
        try folder.write(machO(2), to: "a/2/Kit")
        try folder.write(machO(1), to: "a/1/Kit")
        try folder.write(machO(3), to: "a/Other")
        #expect(mismatches().isEmpty)
    }

    @Test("the image of an Xcode archive is searched next to its folder of dSYMs")
    func archive() throws {
        try folder.write(
            machO(1, fileType: 10), to: "a/My.xcarchive/dSYMs/Kit.dSYM/Contents/Resources/DWARF/Kit"
        )
        try folder.write(machO(2), to: "a/My.xcarchive/Products/Kit")
        #expect(mismatches().count == 1)
    }

    @Test("an image in another folder may be from another build")
    func otherFolder() throws {
        try folder.write(machO(1, fileType: 10), to: "a/1/Kit.dSYM/Contents/Resources/DWARF/Kit")
        try folder.write(machO(2), to: "a/2/Kit")
        #expect(mismatches().isEmpty)
    }

    @Test("a debug file whose .build-id path has another id is reported")
    func buildIDTree() throws {
        try folder.write(library(2), to: "a/.build-id/03/0303.debug")
        try folder.write(
            library(1), to: "a/.build-id/01/\(String(repeating: "01", count: 19)).debug")
        #expect(
            mismatches() == [
                "a/.build-id/03/0303.debug: its path in the .build-id tree names 030303: "
                    + "its own build ID is used"
            ])
    }
}
