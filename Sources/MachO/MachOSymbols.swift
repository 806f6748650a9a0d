public import ByteReading
public import CallStacks

/// A symbol defined in a section.
public struct MachOSymbol: Hashable, Sendable {
    /// The range of its name in ``MachOSymbols/names``, without the leading underscore.
    public let name: Range<Int>
    /// The range of the same name with the underscore.
    public let linkerName: Range<Int>
    /// Its address, without a Thumb bit.
    public let address: LinkAddress
    public let rank: SymbolRecord.Rank
}

/// The symbol table of an image (`LC_SYMTAB`; `nlist` and `nlist_64` of `mach-o/nlist.h`).
///
/// Symbols have no sizes: one ends at the next symbol, function start or section end.
public struct MachOSymbols: Sendable {
    /// The string table with the names.
    public let names: FileBytes
    private let entries: FileBytes
    private let header: MachOHeader

    init(
        _ command: ByteCursor, header: MachOHeader, linkEdit: LinkEditData
    ) throws(ReadingError) {
        var cursor = command
        let entriesOffset = UInt64(try cursor.number(UInt32.self))
        let count = UInt64(try cursor.number(UInt32.self))
        let namesOffset = UInt64(try cursor.number(UInt32.self))
        let namesSize = UInt64(try cursor.number(UInt32.self))
        self.header = header
        entries = try linkEdit.slice(
            at: entriesOffset, count: count * Self.entrySize(header), subject: "symbol table")
        names = try linkEdit.slice(at: namesOffset, count: namesSize, subject: "symbol names")
    }

    /// A table outside any image, for the local symbols that a shared cache stores separately.
    public init(entries: FileBytes, names: FileBytes, header: MachOHeader) {
        self.entries = entries
        self.names = names
        self.header = header
    }

    /// Returns the size of an entry in bytes.
    public static func entrySize(_ header: MachOHeader) -> UInt64 { header.is64Bit ? 16 : 12 }

    /// The placeholder that the builder of a shared cache writes for a name that it moved
    /// elsewhere.
    static let redactedName = Array("<redacted>".utf8)

    /// Calls `body` with each symbol in a section, in file order. Debugger symbols (stabs),
    /// nameless and redacted symbols are skipped.
    ///
    /// - Parameter isWanted: Whether to visit symbols at an address. The names of others are not
    ///   read.
    /// - Returns: The number of symbols skipped because their name is not in the string table.
    public func forEach(
        at isWanted: (LinkAddress) -> Bool = { _ in true }, _ body: (MachOSymbol) -> Void
    ) throws(ReadingError) -> Int {
        var damagedCount = 0
        let thumbBit: UInt64 = header.architecture.marksThumbInAddresses ? 1 : 0
        var table = StringTable(names)
        var cursor = ByteCursor(entries, bigEndian: header.isBigEndian)
        while !cursor.isAtEnd {
            let entry = try Entry(&cursor, header: header)
            guard entry.isInSection, entry.nameOffset != 0 else { continue }
            let address = LinkAddress(entry.value & ~thumbBit)
            guard isWanted(address) else { continue }
            guard let name = try table.textRange(at: UInt64(entry.nameOffset)) else {
                damagedCount += 1
                continue
            }
            let displayed = try withoutUnderscore(name)
            if displayed.isEmpty || isRedacted(name) { continue }
            body(
                MachOSymbol(
                    name: displayed, linkerName: name, address: address,
                    rank: entry.rank == .local && isAssemblerLocal(name)
                        ? .assemblerLocal : entry.rank))
        }
        return damagedCount
    }

    /// Returns the name of a symbol by its index in the table, whether it is defined or undefined.
    ///
    /// - Returns: The name, or `nil` if the symbol has none.
    func name(at index: UInt32) throws(ReadingError) -> String? {
        var cursor = ByteCursor(entries, bigEndian: header.isBigEndian)
        try cursor.skip(UInt64(index) * Self.entrySize(header))
        let entry = try Entry(&cursor, header: header)
        var table = StringTable(names)
        guard entry.nameOffset != 0, let name = try table.textRange(at: UInt64(entry.nameOffset))
        else { return nil }
        return names.string(of: try withoutUnderscore(name))
    }

    /// Whether there is a debug map with object files: `N_OSO` stabs, which `dsymutil` follows.
    public func namesObjectFiles() throws(ReadingError) -> Bool {
        var cursor = ByteCursor(entries, bigEndian: header.isBigEndian)
        while !cursor.isAtEnd {
            if try Entry(&cursor, header: header).type == Entry.objectFile { return true }
        }
        return false
    }

    private func isRedacted(_ name: Range<Int>) -> Bool {
        guard name.count == Self.redactedName.count else { return false }
        return names.withSpan(of: name) { bytes in
            bytes.indices.allSatisfy { bytes[$0] == Self.redactedName[$0] }
        }
    }

    /// Whether a name has one of the prefixes that assemblers and linkers reserve for positions
    /// without a name in the source. Names from C and Swift begin with an underscore.
    private func isAssemblerLocal(_ name: Range<Int>) -> Bool {
        names.withSpan(of: name) { bytes in
            Self.assemblerLocalPrefixes.contains { prefix in
                prefix.count <= bytes.count && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
            }
        }
    }

    private static let assemblerLocalPrefixes = ["ltmp", "l_", "L"].map { Array($0.utf8) }

    /// Removes the underscore that the C compiler adds to names in the source.
    private func withoutUnderscore(_ name: Range<Int>) throws(ReadingError) -> Range<Int> {
        let first = try names.number(UInt8.self, at: UInt64(name.lowerBound))
        let hasUnderscore = !name.isEmpty && first == UInt8(ascii: "_")
        return hasUnderscore ? name.lowerBound + 1..<name.upperBound : name
    }
}

/// One entry of the symbol table.
private struct Entry {
    let nameOffset: UInt32
    let type: UInt8
    let description: UInt16
    let value: UInt64

    init(_ cursor: inout ByteCursor, header: MachOHeader) throws(ReadingError) {
        nameOffset = try cursor.number(UInt32.self)
        type = try cursor.number(UInt8.self)
        try cursor.skip(1)
        description = try cursor.number(UInt16.self)
        value = try cursor.unsigned(size: header.addressSize)
    }

    /// `N_OSO`.
    static let objectFile: UInt8 = 0x66

    /// Whether it is not a stab (`N_STAB`), and is defined in a section (`N_TYPE` is `N_SECT`).
    var isInSection: Bool { type & 0xe0 == 0 && type & 0x0e == 0x0e }

    var rank: SymbolRecord.Rank {
        let isExternal = type & 0x01 != 0
        let isWeakDefinition = description & 0x80 != 0
        return isExternal ? (isWeakDefinition ? .weak : .global) : .local
    }
}
