public import ByteReading
public import CallStacks

/// A symbol of code.
public struct ELFSymbol: Hashable, Sendable {
    /// Where its name lies in ``ELFSymbols/names``.
    public let name: Range<Int>
    /// Its address, without a Thumb bit.
    public let address: LinkAddress
    /// In bytes; 0 where the assembler was not told.
    public let size: UInt64
    public let rank: SymbolRecord.Rank
}

/// A symbol table (`.symtab` or `.dynsym`) with its names.
public struct ELFSymbols: Sendable {
    /// Whether this is `.symtab`; `.dynsym` knows only what the image exports.
    public let isFull: Bool
    /// The string table that names lie in.
    public let names: FileBytes
    private let entries: FileBytes
    private let header: ELFHeader

    init(entries: FileBytes, names: FileBytes, isFull: Bool, header: ELFHeader) {
        self.entries = entries
        self.names = names
        self.isFull = isFull
        self.header = header
    }

    /// Calls `body` with each function, indirect function and label, in file order. Undefined and
    /// absolute symbols are left out, and so are those that only mark where data begins in code.
    ///
    /// - Returns: How many symbols were left out because their name is not in the string table.
    public func forEach(_ body: (ELFSymbol) -> Void) throws(ReadingError) -> Int {
        var damagedCount = 0
        var table = StringTable(names)
        var cursor = ByteCursor(entries, bigEndian: header.isBigEndian)
        let entrySize: UInt64 = header.is64Bit ? 24 : 16
        while cursor.remaining >= entrySize {
            let entry = try Entry(&cursor, is64Bit: header.is64Bit)
            guard let rank = entry.rank, entry.nameOffset != 0 else { continue }
            guard let name = try table.textRange(at: UInt64(entry.nameOffset)) else {
                damagedCount += 1
                continue
            }
            if name.isEmpty || isMappingSymbol(name) { continue }
            let address = LinkAddress(entry.value & ~thumbBit)
            body(ELFSymbol(name: name, address: address, size: entry.size, rank: rank))
        }
        return damagedCount
    }

    private var thumbBit: UInt64 { header.architecture.marksThumbInAddresses ? 1 : 0 }

    /// `$a`, `$d`, `$t` and `$x`, also followed by a point and anything, tell disassemblers which
    /// instruction set, or data, begins (ELF for the Arm Architecture, 5.5.5).
    private func isMappingSymbol(_ name: Range<Int>) -> Bool {
        names.withSpan(of: name) { text in
            guard text.count >= 2, text[0] == UInt8(ascii: "$") else { return false }
            let isKind = [
                UInt8(ascii: "a"), UInt8(ascii: "d"), UInt8(ascii: "t"), UInt8(ascii: "x"),
            ]
            .contains(text[1])
            return isKind && (text.count == 2 || text[2] == UInt8(ascii: "."))
        }
    }
}

/// One row of a symbol table (`Elf32_Sym`, `Elf64_Sym`).
private struct Entry {
    let nameOffset: UInt32
    let value: UInt64
    let size: UInt64
    private let binding: UInt8
    private let type: UInt8
    private let section: UInt16

    init(_ cursor: inout ByteCursor, is64Bit: Bool) throws(ReadingError) {
        nameOffset = try cursor.number(UInt32.self)
        // The fields are the same in both classes, their order is not.
        let early = is64Bit ? (0, 0) : try Self.valueAndSize(&cursor, fieldSize: 4)
        let bits = try cursor.number(UInt8.self)
        binding = bits >> 4
        type = bits & 15
        try cursor.skip(1)
        section = try cursor.number(UInt16.self)
        (value, size) = is64Bit ? try Self.valueAndSize(&cursor, fieldSize: 8) : early
    }

    private static func valueAndSize(
        _ cursor: inout ByteCursor, fieldSize: Int
    ) throws(ReadingError) -> (UInt64, UInt64) {
        (try cursor.unsigned(size: fieldSize), try cursor.unsigned(size: fieldSize))
    }

    /// `nil` for what is not defined in a section, and for data, files and sections.
    var rank: SymbolRecord.Rank? {
        let isUndefined = section == 0
        let isAbsolute = section == 0xfff1
        if isUndefined || isAbsolute { return nil }
        switch type {
        case Self.label: return .label
        case Self.function, Self.indirectFunction: break
        default: return nil
        }
        switch binding {
        case 0: return .local
        case 2: return .weak
        default: return .global
        }
    }

    private static let label: UInt8 = 0
    private static let function: UInt8 = 2
    private static let indirectFunction: UInt8 = 10
}
