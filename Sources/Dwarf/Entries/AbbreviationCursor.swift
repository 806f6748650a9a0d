import ByteReading
import CLibDwarf

/// Steps through one table of `.debug_abbrev` (DWARF 5, 7.5.3).
struct AbbreviationCursor {
    private let section: FileBytes
    private let bytes: MappedBytes
    private var position: Int
    /// Whether reading has begun. A table that starts at or after the end of the section is an
    /// error, but one that ends there is not.
    private var hasBegun = false

    struct Entry {
        let code: UInt64
        /// The `DW_TAG_` number.
        let tag: UInt64
        let hasChildren: Bool
    }

    struct Attribute {
        /// The `DW_AT_` number.
        let name: UInt64
        /// The `DW_FORM_` number.
        let form: UInt64
        /// The value of `DW_FORM_implicit_const`.
        let constant: Int64
        /// The position in the section.
        let offset: UInt64
        /// The size of the name in bytes.
        let nameSize: UInt64
    }

    init(_ section: FileBytes, at start: UInt64) throws(ReadingError) {
        try section.check(1, at: start)
        self.section = section
        bytes = unsafe MappedBytes(section, end: UInt64(section.count))
        position = Int(start)
    }

    /// The end of the bytes read.
    var offset: UInt64 { UInt64(position) }

    /// Returns the next abbreviation, or `nil` at the end of the table or the section. All
    /// attributes of the previous one must have been read.
    @inline(__always)
    mutating func nextEntry() throws(ReadingError) -> Entry? {
        if hasBegun, position >= bytes.end { return nil }
        hasBegun = true
        let start = position
        guard let code = bytes.uleb128(at: &position) else { throw leaves(start) }
        if code == 0 { return nil }
        guard let tag = bytes.uleb128(at: &position), let children = bytes.byte(at: &position)
        else { throw leaves(start) }
        return Entry(code: code, tag: tag, hasChildren: children != 0)
    }

    /// Returns the next attribute of the abbreviation, or `nil` after the last one.
    @inline(__always)
    mutating func nextAttribute() throws(ReadingError) -> Attribute? {
        let start = position
        guard let name = bytes.uleb128(at: &position) else { throw leaves(start) }
        let nameSize = position &- start
        guard let form = bytes.uleb128(at: &position) else { throw leaves(start) }
        var constant: Int64 = 0
        if form == UInt64(DW_FORM_implicit_const) {
            guard let value = bytes.sleb128(at: &position) else { throw leaves(start) }
            constant = value
        }
        if name == 0, form == 0 { return nil }
        return Attribute(
            name: name, form: form, constant: constant, offset: UInt64(start),
            nameSize: UInt64(nameSize))
    }

    private func leaves(_ start: Int) -> ReadingError {
        ReadingError(
            .malformed("abbreviation is cut off or its numbers are too large"),
            in: section.subject, at: UInt64(start))
    }
}
