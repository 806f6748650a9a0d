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
    private(set) var tables: UnitTables
    /// Where it says that all its code lies.
    private(set) var code: CodePlace?
    /// Whether it says that it has code.
    private(set) var hasCode = false
    /// Whether it names another file that holds its entries.
    private(set) var namesOtherFile = false
    /// A unit that only others refer to, as `dwz` and link-time optimisation write them.
    let isPartial: Bool
    let hasChildren: Bool

    /// A unit that only points to a module: Swift and clang write one per import, with the name of
    /// a `.swiftmodule` or `.pcm` and no code.
    var isModuleReference: Bool { namesOtherFile && !hasCode }

    /// All attributes are collected before any is resolved: texts and addresses may stand before
    /// the bases that they need (DWARF 5, 3.1.1).
    init(of unit: LibDwarfUnit, sections: DwarfSections) throws(DwarfError) {
        let root = try unit.root()
        isPartial = root.tag == UInt16(DW_TAG_partial_unit)
        hasChildren = root.hasChildren
        tables = UnitTables(sections, unit: unit.header)
        var code = CodeAttributes()
        var entryPoint: AddressValue?
        var producer: TextValue?
        var folder: TextValue?
        let attributes = try root.attributes()
        try attributes.forEach { attribute throws(DwarfError) in
            switch attribute.name {
            case DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges: try code.take(attribute)
            case DW_AT_entry_pc: entryPoint = try attribute.address()
            case DW_AT_producer: producer = try attribute.text()
            case DW_AT_comp_dir: folder = try attribute.text()
            default: try take(attribute)
            }
        }
        self.code = code.place
        hasCode = code.low != nil || code.place != nil
        try resolve(
            base: code.low ?? entryPoint, producer: producer, folder: folder,
            unit: unit.header.offset)
    }

    private mutating func take(_ attribute: borrowing Attribute) throws(DwarfError) {
        switch attribute.name {
        case DW_AT_stmt_list: lineTable = try attribute.sectionOffset()
        case DW_AT_addr_base, DW_AT_GNU_addr_base:
            if let base = try attribute.sectionOffset() { tables.addressBase = base }
        case DW_AT_str_offsets_base:
            if let base = try attribute.sectionOffset() { tables.stringOffsetsBase = base }
        case DW_AT_rnglists_base: rangeListOffsetsBase = try attribute.sectionOffset()
        case DW_AT_dwo_name, DW_AT_GNU_dwo_name, DW_AT_dwo_id, DW_AT_GNU_dwo_id,
            Int32(AbbreviationTables.renamedDwoID):
            namesOtherFile = true
        default: break
        }
    }

    private mutating func resolve(
        base: AddressValue?, producer: TextValue?, folder: TextValue?, unit: UInt64
    ) throws(DwarfError) {
        try DwarfError.placing(unit: unit) { () throws(ReadingError) in
            if let base { self.base = try tables.address(base) }
            if let producer { self.producer = try tables.string(producer) }
            if let folder {
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
