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
        /// Where the units of a package are (DWARF 5, 7.3.5.3).
        case packageIndex = ".debug_cu_index"
    }

    public var isBigEndian: Bool
    /// The size of an address in bytes: 4 or 8.
    public var addressSize: Int
    /// Whether they are those of units that were split off, whose names end in `.dwo`.
    public let isSplit: Bool
    /// By ``Name/number``; `nil` for those that are missing.
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

    /// Takes the sections of an image that units split off from its own refer to.
    mutating func share(sectionsOf image: DwarfSections) {
        for name in [Name.addr, .ranges] { sections[name.number] = image.sections[name.number] }
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
    static let ofImage = allCases.filter { $0 != .packageIndex }
    /// The others are those of the image, or not needed: lines are in the image's own.
    static let ofSplitUnits: [Self] = [.info, .abbrev, .str, .strOffsets, .rnglists, .packageIndex]

    /// What a file calls the section.
    public func inFile(isSplit: Bool) -> String {
        isSplit && self != .packageIndex ? rawValue + ".dwo" : rawValue
    }

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
        case .packageIndex: 10
        }
    }
}
