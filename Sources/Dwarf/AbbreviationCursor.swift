import ByteReading
import CLibDwarf

/// Steps through one table of `.debug_abbrev` (DWARF 5, 7.5.3).
struct AbbreviationCursor {
    private var cursor: ByteCursor

    struct Entry {
        let code: UInt64
        /// `DW_TAG_` number.
        let tag: UInt64
        let hasChildren: Bool
    }

    struct Attribute {
        /// `DW_AT_` number.
        let name: UInt64
        /// `DW_FORM_` number.
        let form: UInt64
        /// The value of `DW_FORM_implicit_const`.
        let constant: Int64
        /// Where it stands in the section.
        let place: UInt64
        /// How many bytes its name takes.
        let nameSize: UInt64
    }

    init(_ section: FileBytes, at start: UInt64) {
        cursor = ByteCursor(section, at: start)
    }

    /// The end of what was read.
    var offset: UInt64 { cursor.offset }

    /// The next abbreviation, or `nil` at the end of the table or the section. All attributes of the
    /// one before must have been read.
    mutating func nextEntry() throws(ReadingError) -> Entry? {
        if cursor.isAtEnd, cursor.offset == UInt64(cursor.bytes.count), hasBegun { return nil }
        hasBegun = true
        let code = try cursor.uleb128()
        if code == 0 { return nil }
        return Entry(
            code: code, tag: try cursor.uleb128(), hasChildren: try cursor.number(UInt8.self) != 0)
    }

    /// A table that starts at the end of the section or behind it is an error, one that stops there
    /// is not.
    private var hasBegun = false

    /// The next attribute of the abbreviation, or `nil` behind the last one.
    mutating func nextAttribute() throws(ReadingError) -> Attribute? {
        let place = cursor.offset
        let name = try cursor.uleb128()
        let nameSize = cursor.offset - place
        let form = try cursor.uleb128()
        let constant = form == UInt64(DW_FORM_implicit_const) ? try cursor.sleb128() : 0
        if name == 0, form == 0 { return nil }
        return Attribute(
            name: name, form: form, constant: constant, place: place, nameSize: nameSize)
    }
}
