import ByteReading
import CLibDwarf

/// A unit, opened with libdwarf.
///
/// libdwarf gets a `.debug_info` that contains only this unit. So a unit that it rejects does not
/// hide later ones, it uses memory for only one unit, and its reads stay within the unit. Our
/// offsets are relative to the section, and libdwarf's are relative to the unit.
///
/// A handle may be used by one thread at a time; this type is not `Sendable`.
@safe
final class LibDwarfUnit {
    let header: UnitHeader
    private let map: SectionMap
    private let sections: DwarfSections
    let handle: Dwarf_Debug

    init(
        _ header: UnitHeader, sections: DwarfSections, abbreviations: FileBytes
    ) throws(DwarfError) {
        self.header = header
        self.sections = sections
        let info = try DwarfError.placing(unit: header.offset) { () throws(ReadingError) in
            try sections.bytes(.info).slice(
                at: header.offset, count: header.size, subject: DwarfSections.Name.info.rawValue)
        }
        map = SectionMap(
            [
                (.info, info), (.abbrev, abbreviations), (.str, sections.bytes(.str)),
                (.lineStr, sections.bytes(.lineStr)),
                (.strOffsets, sections.bytes(.strOffsets)), (.addr, sections.bytes(.addr)),
            ],
            isBigEndian: sections.isBigEndian, addressSize: header.addressSize)
        unsafe handle = try unsafe Self.open(map, unit: header.offset)
    }

    deinit {
        var error: Dwarf_Error?
        unsafe dwarf_object_finish(handle, &error)
    }

    @unsafe
    private static func open(_ map: SectionMap, unit: UInt64) throws(DwarfError) -> Dwarf_Debug {
        _ = tracksNoAllocations
        var handle: Dwarf_Debug?
        var error: Dwarf_Error?
        let result = unsafe dwarf_object_init_b(
            map.interface, nil, nil, UInt32(DW_GROUPNUMBER_ANY), &handle, &error)
        guard result == DW_DLV_OK, let handle = unsafe handle
        else { throw unsafe fault(error, handle: nil, unit: unit) }
        return unsafe handle
    }

    /// Disables libdwarf's tracking of allocations, which doubles its run time. All its objects are
    /// freed explicitly instead.
    private static let tracksNoAllocations: Void = {
        _ = dwarf_set_de_alloc_flag(0)
    }()

    /// Returns the entry at `offset` of `.debug_info`, which must be in this unit.
    func entry(at offset: UInt64) throws(DwarfError) -> LibDwarfEntry {
        guard offset >= root, offset < header.end
        else { throw malformed("entry lies outside of the unit") }
        let die = try unsafe read(Dwarf_Die?.none) {
            unsafe dwarf_offdie_b(handle, offset - header.offset, 1, &$0, $1)
        }
        guard let die = unsafe die ?? nil
        else { throw malformed("no entry at .debug_info+0x\(String(offset, radix: 16))") }
        return unsafe LibDwarfEntry(die, of: self)
    }

    /// Returns the position in a section of a pointer from libdwarf.
    @unsafe
    func offset(of pointer: UnsafeRawPointer, in section: DwarfSections.Name) -> UInt64? {
        unsafe sections.bytes(section).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            return UInt64(exactly: unsafe pointer - start)
        }
    }

    /// Returns the value that a function of libdwarf writes, or `nil` if there is none.
    ///
    /// - Parameter function: A function that receives pointers for the value and for an error.
    func read<Value>(
        _ initial: Value,
        _ function: (inout Value, UnsafeMutablePointer<Dwarf_Error?>) -> Int32
    ) throws(DwarfError) -> Value? {
        var value = initial
        var error: Dwarf_Error?
        switch unsafe function(&value, &error) {
        case DW_DLV_OK: return value
        case DW_DLV_NO_ENTRY: return nil
        default: throw unsafe Self.fault(error, handle: handle, unit: header.offset)
        }
    }

    /// Converts an error of libdwarf, and frees it.
    @unsafe
    private static func fault(
        _ error: Dwarf_Error?, handle: Dwarf_Debug?, unit: UInt64
    ) -> DwarfError {
        guard let error = unsafe error
        else { return DwarfError(.malformed("libdwarf finds nothing to read"), unit: unit) }
        let code = unsafe dwarf_errno(error)
        let message = unsafe String(cString: dwarf_errmsg(error))
        unsafe dwarf_dealloc_error(handle, error)
        return DwarfError(.library(code: code, message: message), unit: unit)
    }
}
