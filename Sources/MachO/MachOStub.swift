public import ByteReading
public import CallStacks

/// Code that jumps to a function of another image.
public struct MachOStub: Hashable, Sendable {
    /// The function's name, without the leading underscore.
    public let name: String
    public let address: LinkAddress
}

extension MachOImage {
    /// Returns the stub at an address, or `nil` if there is none, as in every dSYM.
    ///
    /// A stub section specifies the size of a stub, and the index of the first stub's symbol in the
    /// indirect symbol table (`LC_DYSYMTAB`), whose entries are indices into the symbol table.
    public func stub(at address: LinkAddress) throws(ReadingError) -> MachOStub? {
        let section = sections.first { section in
            section.containsStubs && section.stubSize > 0 && address >= section.address
                && address.rawValue - section.address.rawValue < section.size
        }
        guard let section, let symbols = try symbols() else { return nil }
        let size = UInt64(section.stubSize)
        let number = (address.rawValue - section.address.rawValue) / size
        let entry = UInt64(section.firstIndirectSymbol).addingReportingOverflow(number)
        guard !entry.overflow, let index = try indirectSymbol(at: entry.partialValue),
            let name = try symbols.name(at: index)
        else { return nil }
        return MachOStub(
            name: name, address: LinkAddress(section.address.rawValue + number * size))
    }

    /// Returns an entry of the indirect symbol table.
    ///
    /// - Returns: `nil` if the index is past its end, or if the entry has no symbol
    ///   (`INDIRECT_SYMBOL_LOCAL`, `INDIRECT_SYMBOL_ABS`).
    private func indirectSymbol(at entry: UInt64) throws(ReadingError) -> UInt32? {
        guard var cursor = dynamicSymbolTable else { return nil }
        // Twelve numbers that describe parts of the symbol table, and tables that are no longer
        // used.
        try cursor.skip(12 * 4)
        let start = UInt64(try cursor.number(UInt32.self))
        let count = UInt64(try cursor.number(UInt32.self))
        guard entry < count else { return nil }
        let index = try linkEdit.slice(
            at: start + 4 * entry, count: 4, subject: "indirect symbols"
        ).number(UInt32.self, at: 0, bigEndian: header.isBigEndian)
        return index & 0xc000_0000 == 0 ? index : nil
    }
}
