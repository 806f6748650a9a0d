import CLibDwarf

/// The extent of a form's value in an entry (DWARF 5, 7.5.6).
struct FormShape {
    enum Extent: UInt8 {
        /// ``size`` bytes.
        case fixed
        case leb128
        /// A length of 1, 2 or 4 bytes or in LEB128, followed by that many bytes.
        case block1, block2, block4, blockLEB128
        /// Bytes up to a zero.
        case text
        /// The value is preceded by its form.
        case indirect
        /// A number in LEB128, followed by one of 4 bytes.
        case indexAndOffset
    }

    let extent: Extent
    private let fixedSize: Int32

    /// The size in bytes, or 0 unless the extent is ``Extent/fixed``.
    var size: Int { Int(fixedSize) }

    private init(_ extent: Extent) {
        self.extent = extent
        fixedSize = 0
    }

    /// Creates the shape of a number of bytes, whatever their forms are.
    init(size: Int) {
        extent = .fixed
        fixedSize = Int32(size)
    }

    /// `DW_FORM_LLVM_addrx_offset`: an index into `.debug_addr`, and an offset from that address.
    static let addressOffsetForm: Int32 = 0x2001

    /// The properties of a unit that determine the sizes of some forms.
    struct Format: Hashable {
        let addressSize: Int
        let offsetSize: Int
        /// In version 2 `DW_FORM_ref_addr` had the size of an address.
        let referenceSize: Int

        init(_ unit: UnitHeader) {
            addressSize = unit.addressSize
            offsetSize = unit.offsetSize
            referenceSize = unit.version == 2 ? unit.addressSize : unit.offsetSize
        }
    }

    /// - Returns: The shape, or `nil` if the form is unknown.
    init?(of form: UInt64, in format: Format) {
        guard let form = Int32(exactly: form) else { return nil }
        switch form {
        case DW_FORM_flag_present, DW_FORM_implicit_const: self.init(size: 0)
        case DW_FORM_data1, DW_FORM_flag, DW_FORM_ref1, DW_FORM_strx1, DW_FORM_addrx1:
            self.init(size: 1)
        case DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2: self.init(size: 2)
        case DW_FORM_strx3, DW_FORM_addrx3: self.init(size: 3)
        case DW_FORM_data4, DW_FORM_ref4, DW_FORM_strx4, DW_FORM_addrx4, DW_FORM_ref_sup4:
            self.init(size: 4)
        case DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8: self.init(size: 8)
        case DW_FORM_data16: self.init(size: 16)
        case DW_FORM_addr: self.init(size: format.addressSize)
        case DW_FORM_strp, DW_FORM_line_strp, DW_FORM_sec_offset, DW_FORM_strp_sup,
            DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt:
            self.init(size: format.offsetSize)
        case DW_FORM_ref_addr: self.init(size: format.referenceSize)
        case DW_FORM_udata, DW_FORM_sdata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx,
            DW_FORM_loclistx, DW_FORM_rnglistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index:
            self.init(.leb128)
        case DW_FORM_block1: self.init(.block1)
        case DW_FORM_block2: self.init(.block2)
        case DW_FORM_block4: self.init(.block4)
        case DW_FORM_block, DW_FORM_exprloc: self.init(.blockLEB128)
        case DW_FORM_string: self.init(.text)
        case DW_FORM_indirect: self.init(.indirect)
        case Self.addressOffsetForm: self.init(.indexAndOffset)
        default: return nil
        }
    }

    /// The shapes of all forms in one format, for loops over many attributes.
    struct Table {
        private let standard: [FormShape?]
        private let format: Format

        init(for format: Format) {
            standard = (0...UInt64(DW_FORM_addrx4)).map { FormShape(of: $0, in: format) }
            self.format = format
        }

        /// The shape of a form, or `nil` if it is unknown.
        subscript(form: UInt64) -> FormShape? {
            form < UInt64(standard.count)
                ? standard[Int(form)] : FormShape(of: form, in: format)
        }
    }

    /// The shapes in an arbitrary format, to check which forms are known at all.
    static let anyTable = Table(for: anyFormat)

    private static let anyFormat = Format(addressSize: 8, offsetSize: 4, referenceSize: 4)
}

extension FormShape.Format {
    fileprivate init(addressSize: Int, offsetSize: Int, referenceSize: Int) {
        self.addressSize = addressSize
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
    }
}
