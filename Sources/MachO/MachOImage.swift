public import ByteReading
public import CallStacks

/// A thin Mach-O file: the header and load commands, and from there what is asked for.
///
/// Opening one reads nothing else, so that a folder of files can be searched by identity without
/// reading them. What the commands point at is read, and checked, when asked for.
public struct MachOImage: Sendable {
    public let header: MachOHeader
    /// `LC_UUID`, or `nil` where there is none or only zeros.
    public private(set) var id: ImageID?
    public private(set) var platform: MachOPlatform?
    public private(set) var segments: [MachOSegment] = []
    private var symbolTable: ByteCursor?
    private(set) var dynamicSymbolTable: ByteCursor?
    private var functionStarts: ByteCursor?
    let file: FileBytes

    /// - Throws: When header or load commands are damaged or cut off.
    public init(_ file: FileBytes) throws(ReadingError) {
        self.file = file
        header = try MachOHeader(file)
        try LoadCommands(of: header, in: file).forEach { command throws(ReadingError) in
            try read(command)
        }
    }

    private mutating func read(_ command: LoadCommand) throws(ReadingError) {
        switch command.kind {
        case .uuid: if id == nil { id = try Self.identity(command) }
        case .segment, .segment64: segments.append(try MachOSegment(command, header: header))
        case .symbolTable: symbolTable = command.body
        case .dynamicSymbolTable: dynamicSymbolTable = command.body
        case .functionStarts: functionStarts = command.body
        case nil: break
        default: if platform == nil { platform = try MachOPlatform(command) }
        }
    }

    private static func identity(_ command: LoadCommand) throws(ReadingError) -> ImageID? {
        var cursor = command.body
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes.append(try cursor.number(UInt8.self)) }
        return ImageID(bytes: bytes)
    }

    /// The sections of all segments, in file order.
    public var sections: [MachOSection] { segments.flatMap(\.sections) }

    /// Base and code sections, or `nil` without `__TEXT`, where offsets have no origin.
    public var layout: ImageLayout? {
        guard let text = segments.first(where: { $0.name == "__TEXT" }) else { return nil }
        let code = sections.filter(\.holdsCode)
        return ImageLayout(base: text.address, sections: code.map { ($0.address, $0.size) })
    }

    /// How far what is loaded reaches from the base, in bytes.
    ///
    /// Leaves out what a dSYM has at places of its own: debug information and link-edit data.
    public var extent: UInt64 {
        guard let base = layout?.base.rawValue else { return 0 }
        return segments.reduce(0) { extent, segment in
            let (end, overflows) = segment.address.rawValue.addingReportingOverflow(segment.size)
            let isLoaded = !["__DWARF", "__LINKEDIT"].contains(segment.name)
            return isLoaded && !overflows && end > base ? max(extent, end - base) : extent
        }
    }

    /// The bytes of a section, or `nil` if the file has none of it.
    public func bytes(of section: MachOSection) throws(ReadingError) -> FileBytes? {
        guard section.hasBytes else { return nil }
        return try file.slice(at: section.fileOffset, count: section.size, subject: section.name)
    }

    /// Where the bytes of a section are in the file, or `nil` if it has none of it, or not all.
    public func range(of section: MachOSection) -> Range<Int>? {
        guard section.hasBytes, (try? bytes(of: section)) != nil,
            let start = Int(exactly: section.fileOffset), let count = Int(exactly: section.size)
        else { return nil }
        return start..<start + count
    }

    /// The symbol table, or `nil` without `LC_SYMTAB`.
    public func symbols() throws(ReadingError) -> MachOSymbols? {
        guard let symbolTable else { return nil }
        return try MachOSymbols(symbolTable, header: header, file: file)
    }

    /// Calls `body` with each place where a function starts, ascending; with none where there is no
    /// `LC_FUNCTION_STARTS` or no `__TEXT`.
    public func forEachFunctionStart(_ body: (LinkAddress) -> Void) throws(ReadingError) {
        guard let functionStarts, let layout else { return }
        try FunctionStarts(functionStarts, file: file).forEach(
            base: layout.base, hasThumbBits: header.architecture.marksThumbInAddresses, body)
    }
}
