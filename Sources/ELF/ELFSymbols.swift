public import ByteReading
public import CallStacks

/// A symbol of code.
public struct ELFSymbol: Hashable, Sendable {
    /// The range of its name in ``ELFSymbols/names``.
    public let name: Range<Int>
    /// Its address, without a Thumb bit.
    public let address: LinkAddress
    /// The size in bytes; 0 if the assembler did not set it.
    public let size: UInt64
    public let rank: SymbolRecord.Rank
}

/// A symbol table (`.symtab` or `.dynsym`) with its names.
public struct ELFSymbols: Sendable {
    /// Whether this is `.symtab`; `.dynsym` has only exported symbols.
    public let isFull: Bool
    /// The string table with the names.
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
    /// absolute symbols are skipped, and so are mapping symbols.
    ///
    /// - Returns: The number of symbols skipped because their name is not in the string table.
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
            body(
                ELFSymbol(
                    name: isFull ? withoutVersion(name) : name, address: address, size: entry.size,
                    rank: rank))
        }
        return damagedCount
    }

    private var thumbBit: UInt64 { header.architecture.marksThumbInAddresses ? 1 : 0 }

    /// Whether a symbol only marks the start of an instruction set or of data, for disassemblers:
    /// `$a`, `$d`, `$t` or `$x`, optionally with a suffix after a dot (ELF for the Arm
    /// Architecture, 5.5.5). On RISC-V, `$x` may also have the instruction set before that dot, as
    /// in `$xrv64i2p1` (RISC-V ELF psABI, Mapping Symbol).
    private func isMappingSymbol(_ name: Range<Int>) -> Bool {
        names.withSpan(of: name) { text in
            guard text.count >= 2, text[0] == UInt8(ascii: "$") else { return false }
            let isKind = [
                UInt8(ascii: "a"), UInt8(ascii: "d"), UInt8(ascii: "t"), UInt8(ascii: "x"),
            ]
            .contains(text[1])
            if isKind && (text.count == 2 || text[2] == UInt8(ascii: ".")) { return true }
            return header.architecture.cpuType == Self.riscV && text.count > 4
                && text[1] == UInt8(ascii: "x") && text[2] == UInt8(ascii: "r")
                && text[3] == UInt8(ascii: "v")
        }
    }

    private static let riscV = Architecture(elfMachine: 243).cpuType

    /// Returns the range of `parse` for `parse@@SHOP_2.0` and `parse@SHOP_1.0`, the names that
    /// linkers give to versioned symbols in `.symtab` only. In `.dynsym`, the version is not part of
    /// the name.
    ///
    /// Names of other languages may contain an `@`, so only the name of a version is cut: a letter,
    /// `_` or `.`, followed by these, digits, `-` and `+`.
    private func withoutVersion(_ name: Range<Int>) -> Range<Int> {
        names.withSpan(of: name) { text in
            guard let sign = text.indices.first(where: { text[$0] == UInt8(ascii: "@") }), sign > 0
            else { return name }
            let isDefault = sign + 1 < text.count && text[sign + 1] == UInt8(ascii: "@")
            let start = sign + (isDefault ? 2 : 1)
            guard start < text.count, text[start].startsVersion,
                (start..<text.count).allSatisfy({ text[$0].continuesVersion })
            else { return name }
            return name.lowerBound..<name.lowerBound + sign
        }
    }
}

extension UInt8 {
    fileprivate var startsVersion: Bool {
        let letter = self | 0x20
        return UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter
            || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
    }

    fileprivate var continuesVersion: Bool {
        startsVersion || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
            || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
    }
}

/// One entry of a symbol table (`Elf32_Sym`, `Elf64_Sym`).
private struct Entry {
    let nameOffset: UInt32
    let value: UInt64
    let size: UInt64
    private let binding: UInt8
    private let type: UInt8
    private let section: UInt16

    init(_ cursor: inout ByteCursor, is64Bit: Bool) throws(ReadingError) {
        nameOffset = try cursor.number(UInt32.self)
        // Both classes have the same fields in a different order.
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

    /// The rank, or `nil` for an undefined or absolute symbol, data, a file or a section.
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
