public import ByteReading
public import CallStacks

/// A thin Mach-O file.
///
/// Opening one reads only the header and the load commands, so a folder of files can be searched by
/// identity without reading their contents. Contents are read and checked on access.
public struct MachOImage: Sendable {
    public let header: MachOHeader
    /// `LC_UUID`, or `nil` if it is missing or zero.
    public private(set) var id: ImageID?
    public private(set) var platform: MachOPlatform?
    public private(set) var segments: [MachOSegment] = []
    /// The path by which the image is loaded (`LC_ID_DYLIB`, `LC_ID_DYLINKER`), or `nil` for other
    /// images.
    public private(set) var installName: String?
    /// Whether a note marks the file as having all symbols of the original image.
    public private(set) var hasCompleteSymbols = false
    private var symbolTable: ByteCursor?
    private(set) var dynamicSymbolTable: ByteCursor?
    private var functionStarts: ByteCursor?
    private let file: FileBytes
    private(set) var linkEdit: LinkEditData

    /// - Throws: ``ReadingError`` if the header or the load commands are corrupt or truncated.
    public init(_ file: FileBytes) throws(ReadingError) {
        self.file = file
        linkEdit = .file(file)
        header = try MachOHeader(file)
        try LoadCommands(of: header, in: file).forEach { command throws(ReadingError) in
            try read(command)
        }
    }

    /// An image of a shared cache, whose segments are in several files.
    ///
    /// - Parameters:
    ///   - header: The bytes from its header on.
    ///   - memory: Returns the bytes that the cache maps at an address.
    /// - Throws: ``ReadingError`` if the header or the load commands are corrupt or truncated.
    public init(
        cached header: FileBytes, memory: @escaping LinkEditData.MappedMemory
    ) throws(ReadingError) {
        try self.init(header)
        guard let segment = segments.first(where: { $0.name == "__LINKEDIT" }) else {
            throw ReadingError(.malformed("__LINKEDIT is missing"), in: header.subject, at: 0)
        }
        linkEdit = .memory(segment, memory)
    }

    private mutating func read(_ command: LoadCommand) throws(ReadingError) {
        switch command.kind {
        case .uuid: if id == nil { id = try Self.identity(command) }
        case .segment, .segment64: segments.append(try MachOSegment(command, header: header))
        case .symbolTable: symbolTable = command.body
        case .dynamicSymbolTable: dynamicSymbolTable = command.body
        case .functionStarts: functionStarts = command.body
        case .dylibID, .dylinkerID: if installName == nil { installName = try command.path() }
        case .note: if try command.isCompleteSymbolsNote() { hasCompleteSymbols = true }
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

    /// The base and code sections, or `nil` without `__TEXT`, which is the origin of offsets.
    public var layout: ImageLayout? {
        guard let text = segments.first(where: { $0.name == "__TEXT" }) else { return nil }
        let hasSizes = sections.contains { $0.containsCode && $0.size > 0 }
        let code = segments.flatMap { hasSizes ? $0.codeSections : $0.codeSectionsByAddress }
        return ImageLayout(base: text.address, sections: code)
    }

    /// The distance from the base to the end of `__TEXT`, or of a later segment with code, in bytes.
    public var textSize: UInt64 {
        guard let base = layout?.base.rawValue else { return 0 }
        return segments.reduce(0) { size, segment in
            guard segment.name == "__TEXT" || segment.sections.contains(where: \.containsCode)
            else { return size }
            let (end, overflows) = segment.address.rawValue.addingReportingOverflow(segment.size)
            return overflows || end < base ? size : max(size, end - base)
        }
    }

    /// The distance from the base to the end of the loaded segments, in bytes.
    ///
    /// Excludes debug information and link-edit data, whose addresses differ in a dSYM. The
    /// segments of an image from a shared cache are gigabytes apart, so only its `__TEXT` counts.
    public var extent: UInt64 {
        guard let base = layout?.base.rawValue else { return 0 }
        if header.isInSharedCache {
            return segments.first { $0.name == "__TEXT" }?.size ?? 0
        }
        return segments.reduce(0) { extent, segment in
            let (end, overflows) = segment.address.rawValue.addingReportingOverflow(segment.size)
            let isLoaded = !["__DWARF", "__LINKEDIT"].contains(segment.name)
            return isLoaded && !overflows && end > base ? max(extent, end - base) : extent
        }
    }

    /// Returns the bytes of a section, or `nil` if the file has none.
    public func bytes(of section: MachOSection) throws(ReadingError) -> FileBytes? {
        guard section.hasBytes else { return nil }
        return try file.slice(at: section.fileOffset, count: section.size, subject: section.name)
    }

    /// Returns the file range of a section, or `nil` unless the file has all of its bytes.
    public func range(of section: MachOSection) -> Range<Int>? {
        guard section.hasBytes, (try? bytes(of: section)) != nil,
            let start = Int(exactly: section.fileOffset), let count = Int(exactly: section.size)
        else { return nil }
        return start..<start + count
    }

    /// A section of debug information that the end of the file cuts off, or `nil` if there is none.
    public var truncatedSection: MachOSection? {
        segments.first { $0.name == "__DWARF" }?.sections.first {
            $0.hasBytes && range(of: $0) == nil
        }
    }

    /// Returns the symbol table, or `nil` without `LC_SYMTAB`.
    public func symbols() throws(ReadingError) -> MachOSymbols? {
        guard let symbolTable else { return nil }
        return try MachOSymbols(symbolTable, header: header, linkEdit: linkEdit)
    }

    /// Calls `body` with the start address of each function, in ascending order. There are none
    /// without `LC_FUNCTION_STARTS` or `__TEXT`.
    public func forEachFunctionStart(_ body: (LinkAddress) -> Void) throws(ReadingError) {
        guard let functionStarts, let layout else { return }
        try FunctionStarts(functionStarts, linkEdit: linkEdit).forEach(
            base: layout.base, hasThumbBits: header.architecture.marksThumbInAddresses, body)
    }
}

extension MachOImage {
    /// The owner of the note (`LC_NOTE`) that marks a file as having all symbols of its image.
    public static let completeSymbolsNote = "symbols.complete"

    /// The maximum length of a path, in bytes; a longer one is truncated.
    static let pathBytesLimit = 4096
}

extension LoadCommand {
    /// Returns the string at the offset in the command's first number, or `nil` if it is outside
    /// the command.
    fileprivate func path() throws(ReadingError) -> String? {
        var cursor = body
        let offset = UInt64(try cursor.number(UInt32.self)) + body.offset - 8
        let end = cursor.bytes.count
        guard offset < UInt64(end) else { return nil }
        let limit = min(end, Int(offset) + MachOImage.pathBytesLimit)
        let text = cursor.bytes.withSpan(of: Int(offset)..<limit) { bytes in
            bytes.indices.first { bytes[$0] == 0 } ?? bytes.count
        }
        return cursor.bytes.string(of: Int(offset)..<Int(offset) + text)
    }

    fileprivate func isCompleteSymbolsNote() throws(ReadingError) -> Bool {
        let name = try body.bytes.slice(at: body.offset, count: 16, subject: "note")
        return name.string(of: 0..<16) == MachOImage.completeSymbolsNote
    }
}
