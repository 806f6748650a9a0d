import ByteReading
import CLibDwarf

/// Sections in memory, presented as the "object file" that libdwarf reads through callbacks.
///
/// libdwarf never opens a file itself: its loaders support neither DWARF 5 in Mach-O nor zstd, and
/// ELF and Mach-O can share one path. Section 0 is empty, as libdwarf expects for ELF.
@safe
final class SectionMap {
    private let sections: [(name: DwarfSections.Name, bytes: FileBytes)]
    private let isBigEndian: Bool
    private let addressSize: UInt8
    private let methods: UnsafeMutablePointer<Dwarf_Obj_Access_Methods>
    /// The interface that libdwarf refers to until its handle is closed.
    let interface: UnsafeMutablePointer<Dwarf_Obj_Access_Interface>

    init(
        _ sections: [(name: DwarfSections.Name, bytes: FileBytes)], isBigEndian: Bool,
        addressSize: Int
    ) {
        self.sections = sections.filter { !$0.bytes.isEmpty }
        self.isBigEndian = isBigEndian
        self.addressSize = UInt8(clamping: addressSize)
        unsafe methods = .allocate(capacity: 1)
        unsafe interface = .allocate(capacity: 1)
        unsafe methods.initialize(to: Self.callbacks)
        unsafe interface.initialize(
            to: Dwarf_Obj_Access_Interface(
                object: Unmanaged.passUnretained(self).toOpaque(), methods: methods))
    }

    deinit {
        unsafe interface.deallocate()
        unsafe methods.deallocate()
    }

    private static var callbacks: Dwarf_Obj_Access_Methods {
        unsafe Dwarf_Obj_Access_Methods(
            get_section_info: { object, index, section, _ in
                unsafe SectionMap.from(object).describe(Int(index), in: section)
            },
            get_byte_order: { object in
                unsafe SectionMap.from(object).isBigEndian ? DW_OBJECT_MSB : DW_OBJECT_LSB
            },
            get_length_size: { _ in 4 },
            get_pointer_size: { object in unsafe SectionMap.from(object).addressSize },
            get_section_count: { object in
                unsafe UInt64(SectionMap.from(object).sections.count + 1)
            },
            load_section: { object, index, bytes, _ in
                unsafe SectionMap.from(object).load(Int(index), into: bytes)
            },
            relocate_a_section: nil)
    }

    @unsafe
    private static func from(_ object: UnsafeMutableRawPointer?) -> SectionMap {
        guard let object = unsafe object else { preconditionFailure("libdwarf lost its object") }
        return unsafe Unmanaged<SectionMap>.fromOpaque(object).takeUnretainedValue()
    }

    @unsafe
    private func describe(
        _ index: Int, in section: UnsafeMutablePointer<Dwarf_Obj_Access_Section>?
    ) -> Int32 {
        guard let section = unsafe section, index <= sections.count else { return DW_DLV_NO_ENTRY }
        unsafe section.pointee = Dwarf_Obj_Access_Section()
        unsafe section.pointee.name = SectionNames.empty
        if index > 0 {
            unsafe section.pointee.name = SectionNames.pointer(to: sections[index - 1].name)
            unsafe section.pointee.size = UInt64(sections[index - 1].bytes.count)
        }
        return DW_DLV_OK
    }

    @unsafe
    private func load(
        _ index: Int, into bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?
    ) -> Int32 {
        guard let bytes = unsafe bytes, index > 0, index <= sections.count
        else { return DW_DLV_NO_ENTRY }
        // libdwarf takes a mutable pointer, but does not write through it.
        unsafe sections[index - 1].bytes.withUnsafeBytes { source in
            unsafe bytes.pointee = UnsafeMutableRawPointer(mutating: source.baseAddress)?
                .assumingMemoryBound(to: UInt8.self)
        }
        return DW_DLV_OK
    }
}

/// The names of sections as C strings that are never freed.
private enum SectionNames {
    @unsafe
    static var empty: UnsafePointer<CChar> { unsafe pointer(to: "") }

    @unsafe
    static func pointer(to name: DwarfSections.Name) -> UnsafePointer<CChar> {
        switch name {
        case .info: unsafe pointer(to: ".debug_info")
        case .types: unsafe pointer(to: ".debug_types")
        case .abbrev: unsafe pointer(to: ".debug_abbrev")
        case .str: unsafe pointer(to: ".debug_str")
        case .lineStr: unsafe pointer(to: ".debug_line_str")
        case .strOffsets: unsafe pointer(to: ".debug_str_offsets")
        case .line: unsafe pointer(to: ".debug_line")
        case .addr: unsafe pointer(to: ".debug_addr")
        case .ranges: unsafe pointer(to: ".debug_ranges")
        case .rnglists: unsafe pointer(to: ".debug_rnglists")
        case .packageIndex: unsafe pointer(to: ".debug_cu_index")
        }
    }

    @unsafe
    private static func pointer(to text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
