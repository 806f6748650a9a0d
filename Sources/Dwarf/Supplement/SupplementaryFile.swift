import ByteReading

/// A file with debug information that several images share, which `dwz` moved out of them
/// (DWARF 5, 7.3.6). GNU's form of references to it, which preceded the standard, is read too.
public final class SupplementaryFile: Sendable {
    let sections: DwarfSections
    let scan: UnitScan

    /// - Throws: ``DwarfError`` if the file contains no debug information.
    public init(_ sections: DwarfSections) throws(DwarfError) {
        self.sections = sections
        for name in [DwarfSections.Name.info, .abbrev] where sections.bytes(name).isEmpty {
            throw DwarfError(.missingSection(name.rawValue))
        }
        scan = try UnitScan(sections.bytes(.info), bigEndian: sections.isBigEndian)
    }
}
