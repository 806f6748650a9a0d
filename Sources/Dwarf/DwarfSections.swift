public import ByteReading

/// The sections that hold the debug information of one image, inflated, from whatever container.
public struct DwarfSections: Sendable {
    /// The sections that are read, by their ELF names.
    public enum Name: String, CaseIterable, Sendable {
        case info = ".debug_info"
        case types = ".debug_types"
        case abbrev = ".debug_abbrev"
        case str = ".debug_str"
        case lineStr = ".debug_line_str"
        case strOffsets = ".debug_str_offsets"
        case line = ".debug_line"
        case addr = ".debug_addr"
        case ranges = ".debug_ranges"
        case rnglists = ".debug_rnglists"
    }

    public var isBigEndian: Bool
    /// The size of an address in bytes: 4 or 8.
    public var addressSize: Int
    private var sections: [Name: FileBytes] = [:]

    public init(isBigEndian: Bool, addressSize: Int) {
        self.isBigEndian = isBigEndian
        self.addressSize = addressSize
    }

    public subscript(name: Name) -> FileBytes? {
        get { sections[name] }
        set { sections[name] = newValue?.named(name.rawValue) }
    }

    /// The size of all sections together.
    var byteCount: UInt64 { sections.values.reduce(0) { $0 + UInt64($1.count) } }

    /// The section, or no bytes of its name.
    public func bytes(_ name: Name) -> FileBytes {
        sections[name] ?? FileBytes([], subject: name.rawValue)
    }
}
