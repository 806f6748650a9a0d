import ByteReading
import CLibDwarf

/// The attributes of a unit's own entry.
struct UnitAttributes {
    private(set) var producer: String?
    /// `DW_AT_comp_dir`, or empty if there is none.
    private(set) var compilationFolder: [UInt8] = []
    /// The offset of the line table in `.debug_line`, or `nil`.
    private(set) var lineTable: UInt64?
    /// The base address of the range lists: `DW_AT_low_pc`, or `DW_AT_entry_pc`, which DWARF 3
    /// allowed (3.1.1) and clang wrote in DWARF 2.
    private(set) var base: UInt64 = 0
    private(set) var rangeListOffsetsBase: UInt64?
    let tables: UnitTables
    /// The location of all its code, or `nil`.
    private(set) var code: CodeLocation?
    /// Whether any attribute describes code.
    private(set) var hasCode = false
    /// Whether it refers to another file with its entries.
    private(set) var namesOtherFile = false
    /// The name of that file, as given to the compiler.
    private(set) var otherFileName: TextValue?
    /// The id that it shares with its split unit.
    private(set) var splitID: UInt64?
    /// The base in `.debug_ranges` for the lists of the split unit. The lists of the unit itself do
    /// not use it.
    private(set) var splitRangesBase: UInt64 = 0
    /// The base of range lists in `.debug_ranges`.
    private(set) var rangesBase: UInt64 = 0
    /// Whether it is a partial unit, which only other units refer to, as written by `dwz` and
    /// link-time optimisation.
    let isPartial: Bool

    /// The size of texts, in bytes, that costs no work. Opening a unit takes longer than copying
    /// them.
    private static let freeTextBytes: UInt64 = 1 << 10

    /// Whether it only refers to a module: Swift and clang write one per import, with the name of a
    /// `.swiftmodule` or `.pcm` and no code.
    var isModuleReference: Bool { namesOtherFile && !hasCode }

    /// Collects all attributes before it resolves any, because strings and addresses may precede
    /// the bases that they need (DWARF 5, 3.1.1).
    ///
    /// - Parameters:
    ///   - budget: The budget for texts, which any number of units may share.
    ///   - skeleton: For a split unit, its skeleton, which has the bases of addresses and lists
    ///     (DWARF 5, 3.1.3).
    init(
        of unit: some UnitEntries, sections: DwarfSections, budget: WorkBudget,
        skeleton: UnitAttributes?
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
        code = CodeLocation(values)
        hasCode = values.address(.lowPC) != nil || code != nil
        try resolve(values, unit: unit.header.offset)
        let textBytes = UInt64(compilationFolder.count + (producer?.utf8.count ?? 0))
        if textBytes > Self.freeTextBytes { try budget.spend(textBytes) }
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
    /// Copies the bytes of `span`.
    init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
