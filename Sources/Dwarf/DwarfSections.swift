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
    /// By ``Name/number``; `nil` for those that are missing.
    private var sections = [FileBytes?](repeating: nil, count: Name.allCases.count)

    public init(isBigEndian: Bool, addressSize: Int) {
        self.isBigEndian = isBigEndian
        self.addressSize = addressSize
    }

    public subscript(name: Name) -> FileBytes? {
        get { sections[name.number] }
        set { sections[name.number] = newValue?.named(name.rawValue) }
    }

    /// The size of all sections together.
    var byteCount: UInt64 { sections.reduce(0) { $0 + UInt64($1?.count ?? 0) } }

    /// The section, or no bytes of its name.
    public func bytes(_ name: Name) -> FileBytes {
        sections[name.number] ?? Self.missing[name.number]
    }

    private static let missing = Name.allCases.map { FileBytes([], subject: $0.rawValue) }
}

extension DwarfSections.Name {
    /// Its place among all names. Units ask for sections by the thousand.
    fileprivate var number: Int {
        switch self {
        case .info: 0
        case .types: 1
        case .abbrev: 2
        case .str: 3
        case .lineStr: 4
        case .strOffsets: 5
        case .line: 6
        case .addr: 7
        case .ranges: 8
        case .rnglists: 9
        }
    }
}
