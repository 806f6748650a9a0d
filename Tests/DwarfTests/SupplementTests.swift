import ByteReading
import Testing

@testable import Dwarf

/// Debug information in a supplementary file, as `dwz` writes it.
@Suite("Supplementary files")
struct SupplementTests {
    private let code = DieAttribute.code(0x1000..<0x1010)

    /// A file with functions in a partial unit: one with a linkage name, one that refers to it, and
    /// one whose name is the string at 3.
    private func supplement(version: UInt16) throws -> (SupplementaryFile, [String: Int]) {
        var builder = DieBuilder()
        builder.add(
            Die(
                0x3c, [],
                [
                    .function("plain", [.linkageName("_Zlinked")], label: "linked"),
                    .function(nil, [.reference(0x47, "linked")], label: "origin"),
                    .function(nil, [DieAttribute(0x03, 0x0e, little(UInt32(3)))], label: "shared"),
                ]), version: version)
        let file = try SupplementaryFile(builder.sections([.str: Array("ab\0pick\0".utf8)]))
        return (file, builder.places)
    }

    private func names(
        _ attribute: DieAttribute, version: UInt16, of supplement: SupplementaryFile?
    ) throws -> (names: [String], summary: DwarfSummary) {
        var builder = DieBuilder()
        builder.add(.unit([], [.function(nil, [attribute] + code)]), version: version)
        var sections = builder.sections()
        sections.supplement = supplement
        // libdwarf cannot read these references.
        let isStandard = [0x1c, 0x24].contains(attribute.form)
        let (records, summary) =
            isStandard ? try read(sections, usesLibDwarf: false) : try read(sections)
        return (records.functionNames, summary)
    }

    @Test("names in strings of the file are found", arguments: [UInt64(0x1f21), 0x1d])
    func strings(form: UInt64) throws {
        let (file, _) = try supplement(version: 4)
        let name = DieAttribute(0x03, form, little(UInt32(3)))
        let found = try names(name, version: 4, of: file)
        #expect(found.names == ["pick"])
        #expect(found.summary.warnings == [])
        #expect(try names(name, version: 4, of: nil).summary.warnings == [.dwzAlternateMissing])
    }

    @Test(
        "names of entries of the file are found, through references inside it",
        arguments: [UInt64(0x1f20), 0x1c, 0x24], [UInt16(4), 5])
    func entries(form: UInt64, version: UInt16) throws {
        let (file, places) = try supplement(version: version)
        for (label, name) in ["linked": "_Zlinked", "origin": "_Zlinked", "shared": "pick"] {
            let place = UInt64(places[label] ?? 0)
            let origin = DieAttribute(
                0x31, form, form == 0x24 ? little(place) : little(UInt32(place)))
            let found = try names(origin, version: version, of: file)
            #expect(found.names == [name])
            #expect(found.summary.warnings == [])
            #expect(found.summary.failures == [])
        }
    }

    @Test("a reference that leads nowhere in the file fails its unit only")
    func nowhere() throws {
        let (file, _) = try supplement(version: 4)
        var builder = DieBuilder()
        let origin = DieAttribute(0x31, 0x1f20, little(UInt32(0xffff)))
        builder.add(.unit([], [.function(nil, [origin] + code)]))
        builder.add(.unit([], [.function("next", DieAttribute.code(0x1010..<0x1020))]))
        var sections = builder.sections()
        sections.supplement = file
        let (records, summary) = try read(sections)
        #expect(records.functionNames == ["?", "next"])
        #expect(summary.unitsFailed == 1)
        #expect(
            summary.failures.map(\.description) == [
                "unit at .debug_info+0x0: supplementary file: no entry at .debug_info+0xffff"
            ])
    }

    @Test("a file without debug information is refused")
    func empty() {
        #expect(throws: DwarfError.self) {
            try SupplementaryFile(DwarfSections(isBigEndian: false, addressSize: 8))
        }
    }
}
