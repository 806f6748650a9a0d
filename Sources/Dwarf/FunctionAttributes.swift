import ByteReading
import CLibDwarf

/// The attributes of a function or of a call inlined into one. Texts are valid as long as the
/// sections.
struct FunctionAttributes {
    private(set) var name = NameAttributes()
    private(set) var callFile: UInt64?
    private(set) var callLine: UInt64?
    private(set) var callColumn: UInt64?
    /// The first attribute that could not be read.
    private(set) var fault: DwarfError?

    private var codeAttributes = CodeAttributes()

    init(of entry: borrowing Entry) throws(DwarfError) {
        let attributes = try entry.attributes()
        try attributes.forEach { attribute throws(DwarfError) in
            do throws(DwarfError) {
                try take(attribute)
            } catch {
                fault = fault ?? error
            }
        }
    }

    /// Where its code lies; `nil` for declarations and abstract instances.
    var code: CodePlace? { codeAttributes.place }

    private mutating func take(_ attribute: borrowing Attribute) throws(DwarfError) {
        switch attribute.name {
        case DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges: try codeAttributes.take(attribute)
        case DW_AT_call_file: callFile = try attribute.unsigned()
        case DW_AT_call_line: callLine = try attribute.unsigned()
        case DW_AT_call_column: callColumn = try attribute.unsigned()
        default: try name.take(attribute)
        }
    }
}

/// The attributes that lead to the name of a function.
struct NameAttributes {
    private(set) var linkageName: TextValue?
    private(set) var plainName: TextValue?
    /// The entry that says more of the same function, an offset into `.debug_info`.
    var origin: UInt64? { abstractOrigin ?? specification }
    /// Whether a part of the name is in a supplementary file.
    private(set) var isInSupplementaryFile = false

    private var abstractOrigin: UInt64?
    private var specification: UInt64?

    init() {}

    init(of entry: borrowing Entry) throws(DwarfError) {
        let attributes = try entry.attributes()
        try attributes.forEach { attribute throws(DwarfError) in try take(attribute) }
    }

    mutating func take(_ attribute: borrowing Attribute) throws(DwarfError) {
        switch attribute.name {
        case DW_AT_name: plainName = try attribute.text()
        case DW_AT_linkage_name, DW_AT_MIPS_linkage_name: linkageName = try attribute.text()
        case DW_AT_abstract_origin: abstractOrigin = try attribute.reference()
        case DW_AT_specification: specification = try attribute.reference()
        default: return
        }
        if attribute.isInSupplementaryFile { isInSupplementaryFile = true }
    }
}
