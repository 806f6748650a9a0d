public import ByteReading

/// The decompressed sections with the debug information of one image, from any container.
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
        /// The positions of the units of a package (DWARF 5, 7.3.5.3).
        case packageIndex = ".debug_cu_index"
    }

    public var isBigEndian: Bool
    /// The size of an address in bytes: 4 or 8.
    public var addressSize: Int
    /// Whether these are the sections of split units, whose names end in `.dwo`.
    public let isSplit: Bool
    /// The file with the strings and entries that `dwz` moved out of this one, or `nil`.
    public var supplement: SupplementaryFile?
    /// The sections by ``Name/number``, or `nil` for missing ones.
    private var sections = [FileBytes?](repeating: nil, count: Name.allCases.count)

    public init(isBigEndian: Bool, addressSize: Int, isSplit: Bool = false) {
        self.isSplit = isSplit
        self.isBigEndian = isBigEndian
        self.addressSize = addressSize
    }

    public subscript(name: Name) -> FileBytes? {
        get { sections[name.number] }
        set { sections[name.number] = newValue?.named(name.inFile(isSplit: isSplit)) }
    }

    /// The sections that a file may have.
    public var names: [Name] { isSplit ? Name.ofSplitUnits : Name.ofImage }

    /// Adds the sections of an image to which its split units refer.
    mutating func share(sectionsOf image: DwarfSections) {
        for name in [Name.addr, .ranges] { sections[name.number] = image.sections[name.number] }
    }

    /// The total size of the sections.
    var byteCount: UInt64 { sections.reduce(0) { $0 + UInt64($1?.count ?? 0) } }

    /// Returns the section, or empty bytes with its name.
    public func bytes(_ name: Name) -> FileBytes {
        sections[name.number] ?? Self.missing[name.number]
    }

    private static let missing = Name.allCases.map { FileBytes([], subject: $0.rawValue) }
}

extension DwarfSections.Name {
    static let ofImage = allCases.filter { $0 != .packageIndex }
    /// The sections of split units. Other sections are in the image, such as lines, or not needed.
    static let ofSplitUnits: [Self] = [.info, .abbrev, .str, .strOffsets, .rnglists, .packageIndex]

    /// Returns the section's name in a file.
    public func inFile(isSplit: Bool) -> String {
        isSplit && self != .packageIndex ? rawValue + ".dwo" : rawValue
    }

    /// The index among all names, precomputed because units request sections thousands of times.
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
        case .packageIndex: 10
        }
    }
}
