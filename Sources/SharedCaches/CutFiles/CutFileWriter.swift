import CallStacks
import MachO

/// Writes a ``CutFile``. Integers are little-endian, as in every cache.
struct CutFileWriter {
    let image: CachedImage
    let id: ImageID
    let header: MachOHeader
    let platform: UInt32
    /// The sections of `__TEXT` that contain code.
    let sections: [MachOSection]
    /// Whether the file has all symbols of the original image.
    let isComplete: Bool

    /// The maximum number of sections, because a symbol refers to its section by one byte.
    static let sectionLimit = 255

    private enum Command {
        static let segment: UInt32 = 0x1
        static let symbolTable: UInt32 = 0x2
        static let dylibID: UInt32 = 0xd
        static let segment64: UInt32 = 0x19
        static let uuid: UInt32 = 0x1b
        static let functionStarts: UInt32 = 0x26
        static let note: UInt32 = 0x31
        static let buildVersion: UInt32 = 0x32
    }

    private static let dylibStub: UInt32 = 9

    func bytes(symbols: ImageSymbols, functionStarts: [UInt8]) -> [UInt8] {
        let table = SymbolTableBytes(symbols, sections: sections, is64Bit: header.is64Bit)
        // The size of the commands does not depend on the offsets in them.
        let size = commands(at: 0, functionStarts.count, table).reduce(0) { $0 + $1.count }
        let headerSize = header.is64Bit ? 32 : 28
        let start = (headerSize + size + 7) / 8 * 8
        let commands = commands(at: start, functionStarts.count, table)
        var file = CutBytes(is64Bit: header.is64Bit)
        file.append(header.is64Bit ? 0xfeed_facf : 0xfeed_face as UInt32)
        file.append(header.architecture.cpuType)
        file.append(header.architecture.cpuSubtype)
        file.append(Self.dylibStub)
        file.append(UInt32(commands.count))
        file.append(UInt32(size))
        file.append(0 as UInt32)
        if header.is64Bit { file.append(0 as UInt32) }
        for command in commands { file.bytes += command }
        file.align(to: 8)
        file.bytes += functionStarts
        file.bytes += table.entries
        file.bytes += table.names
        return file.bytes
    }

    private func commands(
        at start: Int, _ startsCount: Int, _ table: SymbolTableBytes
    ) -> [[UInt8]] {
        let symbolsStart = start + startsCount
        let namesStart = symbolsStart + table.entries.count
        let end = namesStart + table.names.count
        var commands = [
            command(Command.uuid) { $0.bytes += id.bytes }, dylibID,
            segment("__TEXT", image.address.rawValue, image.textSize, 0, 0, sections),
            segment("__LINKEDIT", linkEditAddress, UInt64(end - start), start, end - start, []),
            command(Command.functionStarts) {
                $0.append(UInt32(start))
                $0.append(UInt32(startsCount))
            },
            command(Command.symbolTable) {
                $0.append(UInt32(symbolsStart))
                $0.append(UInt32(table.count))
                $0.append(UInt32(namesStart))
                $0.append(UInt32(table.names.count))
            },
        ]
        if platform != 0 { commands.append(buildVersion) }
        if isComplete { commands.append(completeNote(at: end)) }
        return commands
    }

    /// The install path, by which readers recognise a system image.
    private var dylibID: [UInt8] {
        command(Command.dylibID) {
            // The offset of the path in the command, a timestamp, and two versions.
            for number: UInt32 in [24, 0, 0, 0] { $0.append(number) }
            $0.bytes += image.path.utf8
            $0.append(0 as UInt8)
            $0.align(to: 8)
        }
    }

    private var buildVersion: [UInt8] {
        command(Command.buildVersion) {
            // The platform, two versions, and no tools.
            for number in [platform, 0, 0, 0] { $0.append(number) }
        }
    }

    /// Marks the file as having all symbols of the image (`LC_NOTE` without contents).
    private func completeNote(at end: Int) -> [UInt8] {
        command(Command.note) {
            $0.append(MachOImage.completeSymbolsNote, field: 16)
            $0.append(UInt64(end))
            $0.append(0 as UInt64)
        }
    }

    private var linkEditAddress: UInt64 {
        let page: UInt64 = 0x4000
        return (image.address.rawValue &+ image.textSize &+ (page - 1)) / page * page
    }

    private func segment(
        _ name: String, _ address: UInt64, _ size: UInt64, _ fileOffset: Int, _ fileSize: Int,
        _ sections: [MachOSection]
    ) -> [UInt8] {
        command(header.is64Bit ? Command.segment64 : Command.segment) {
            $0.append(name, field: 16)
            $0.append(word: address)
            $0.append(word: size)
            $0.append(word: UInt64(fileOffset))
            $0.append(word: UInt64(fileSize))
            // Protection: read, and execute if there is code.
            let protection: UInt32 = sections.isEmpty ? 1 : 5
            for number in [protection, protection, UInt32(sections.count), 0] { $0.append(number) }
            for section in sections { append(section, to: &$0) }
        }
    }

    private func append(_ section: MachOSection, to command: inout CutBytes) {
        command.append(section.name, field: 16)
        command.append("__TEXT", field: 16)
        command.append(word: section.address.rawValue)
        command.append(word: section.size)
        // No contents, alignment or relocations; the flags mark it as code.
        let flags: UInt32 = 0x8000_0400
        for number: UInt32 in [0, 0, 0, 0, flags, 0, 0] { command.append(number) }
        if header.is64Bit { command.append(0 as UInt32) }
    }

    private func command(_ kind: UInt32, _ fill: (inout CutBytes) -> Void) -> [UInt8] {
        var body = CutBytes(is64Bit: header.is64Bit)
        fill(&body)
        var command = CutBytes(is64Bit: header.is64Bit)
        command.append(kind)
        command.append(UInt32(8 + body.bytes.count))
        return command.bytes + body.bytes
    }
}

/// The entries of a symbol table and their names.
private struct SymbolTableBytes {
    private(set) var entries: [UInt8]
    private(set) var names: [UInt8]
    private(set) var count = 0

    init(_ symbols: ImageSymbols, sections: [MachOSection], is64Bit: Bool) {
        var entries = CutBytes(is64Bit: is64Bit)
        var pool = NamePool(forUpTo: symbols.symbols.count)
        entries.bytes.reserveCapacity(16 * symbols.symbols.count)
        let numbers = sections.map { CodeRanges([$0]) }
        for symbol in symbols.symbols {
            // Names past 4 GiB cannot be referred to.
            guard let name = symbols.withName(of: symbol, { pool.offset(of: $0) }),
                let section = numbers.firstIndex(where: { $0.contains(symbol.address) })
            else { continue }
            // The offset of the name, the type, the section, and the description.
            let type: UInt64 = symbol.rank >= .local ? 0x0e : 0x0f
            let description: UInt64 = symbol.rank == .weak ? 0x80 : 0
            entries.append(
                UInt64(name) | type << 32 | UInt64(section + 1) << 40 | description << 48)
            entries.append(word: symbol.address)
            count += 1
        }
        pool.close()
        self.entries = entries.bytes
        names = pool.bytes
    }
}

/// A growing buffer of Mach-O data.
struct CutBytes {
    var bytes: [UInt8] = []
    let is64Bit: Bool

    init(is64Bit: Bool) { self.is64Bit = is64Bit }

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends an integer with the size of an address.
    mutating func append(word: UInt64) {
        if is64Bit { append(word) } else { append(UInt32(truncatingIfNeeded: word)) }
    }

    /// Appends text in a field of fixed size, padded with zeros or truncated.
    mutating func append(_ text: String, field size: Int) {
        let cut = text.utf8.prefix(size)
        bytes += cut
        bytes += [UInt8](repeating: 0, count: size - cut.count)
    }

    mutating func align(to boundary: Int) {
        while !bytes.count.isMultiple(of: boundary) { bytes.append(0) }
    }
}
