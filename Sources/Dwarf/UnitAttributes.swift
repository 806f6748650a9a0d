import ByteReading
import CLibDwarf

/// What a unit's own entry says of the whole unit.
struct UnitAttributes {
    private(set) var producer: String?
    /// `DW_AT_comp_dir`; empty if there is none.
    private(set) var compilationFolder: [UInt8] = []
    /// Where its line table starts in `.debug_line`.
    private(set) var lineTable: UInt64?
    /// What its range lists count from: `DW_AT_low_pc`, or `DW_AT_entry_pc` as DWARF 3 allowed
    /// (3.1.1) and clang wrote in DWARF 2.
    private(set) var base: UInt64 = 0
    private(set) var rangeListOffsetsBase: UInt64?
    let tables: UnitTables
    /// Where it says that all its code lies.
    private(set) var code: CodePlace?
    /// Whether it says that it has code.
    private(set) var hasCode = false
    /// Whether it names another file that holds its entries.
    private(set) var namesOtherFile = false
    /// The name of that file, as the compiler was told it.
    private(set) var otherFileName: TextValue?
    /// What it shares with the unit that was split off from it.
    private(set) var splitID: UInt64?
    /// Where the lists of the unit that was split off start in `.debug_ranges`. The lists of the
    /// unit itself do not count from there.
    private(set) var splitRangesBase: UInt64 = 0
    /// What range lists in `.debug_ranges` are counted from.
    private(set) var rangesBase: UInt64 = 0
    /// A unit that only others refer to, as `dwz` and link-time optimisation write them.
    let isPartial: Bool

    /// A unit that only points to a module: Swift and clang write one per import, with the name of
    /// a `.swiftmodule` or `.pcm` and no code.
    var isModuleReference: Bool { namesOtherFile && !hasCode }

    /// All attributes are collected before any is resolved: texts and addresses may stand before
    /// the bases that they need (DWARF 5, 3.1.1).
    ///
    /// - Parameter skeleton: For a unit that was split off, the one that stayed in the image: it
    ///   knows where addresses are and what lists count from (DWARF 5, 3.1.3).
    init(
        of unit: some UnitEntries, sections: DwarfSections, skeleton: UnitAttributes? = nil
    ) throws(DwarfError) {
        isPartial = try unit.tag(ofEntryAt: unit.root) == UInt16(DW_TAG_partial_unit)
        var values = EntryValues()
        try unit.read(entryAt: unit.root, into: &values)
        if let fault = values.fault { throw fault }
        tables = UnitTables(sections, unit: unit.header)
        if let base = values.sectionOffset(.addressBase) { tables.addressBase = base }
        if let base = values.sectionOffset(.stringOffsetsBase) { tables.stringOffsetsBase = base }
        lineTable = values.sectionOffset(.lineTable)
        rangeListOffsetsBase = values.sectionOffset(.rangeListsBase)
        namesOtherFile = values.has(.otherFileName) || values.has(.otherFileID)
        otherFileName = values.text(.otherFileName)
        splitID = unit.header.splitID ?? values.unsigned(.otherFileID)
        splitRangesBase = values.sectionOffset(.rangesBase) ?? 0
        if let skeleton {
            tables.addressBase = skeleton.tables.addressBase
            base = skeleton.base
            rangesBase = skeleton.splitRangesBase
        }
        code = CodePlace(values)
        hasCode = values.address(.lowPC) != nil || code != nil
        try resolve(values, unit: unit.header.offset)
    }

    private mutating func resolve(_ values: EntryValues, unit: UInt64) throws(DwarfError) {
        try DwarfError.placing(unit: unit) { () throws(ReadingError) in
            if let base = values.address(.lowPC) ?? values.address(.entryPC) {
                self.base = try tables.address(base)
            }
            if let producer = values.text(.producer) {
                self.producer = try tables.string(producer)
            }
            if let folder = values.text(.compilationFolder) {
                compilationFolder = try tables.withText(folder) { Array(copying: $0) } ?? []
            }
        }
    }
}

extension Array where Element == UInt8 {
    /// The bytes of `span`.
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
