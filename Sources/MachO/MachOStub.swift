public import ByteReading
public import CallStacks

/// A piece of code that jumps to a function of another image.
public struct MachOStub: Hashable, Sendable {
    /// The function's name, without the underscore in front.
    public let name: String
    public let address: LinkAddress
}

extension MachOImage {
    /// The stub at an address, or `nil` where there is none, as in every dSYM.
    ///
    /// A section of stubs says how large each is, and where the first one's symbol stands in the
    /// table of indirect symbols (`LC_DYSYMTAB`), whose entries are places in the symbol table.
    public func stub(at address: LinkAddress) throws(ReadingError) -> MachOStub? {
        let section = sections.first { section in
            section.holdsStubs && section.stubSize > 0 && address >= section.address
                && address.rawValue - section.address.rawValue < section.size
        }
        guard let section, let symbols = try symbols() else { return nil }
        let size = UInt64(section.stubSize)
        let number = (address.rawValue - section.address.rawValue) / size
        let place = UInt64(section.firstIndirectSymbol).addingReportingOverflow(number)
        guard !place.overflow, let index = try indirectSymbol(at: place.partialValue),
            let name = try symbols.name(at: index)
        else { return nil }
        return MachOStub(
            name: name, address: LinkAddress(section.address.rawValue + number * size))
    }

    /// An entry of the table of indirect symbols.
    ///
    /// - Returns: `nil` behind its end, and for an entry that names no symbol
    ///   (`INDIRECT_SYMBOL_LOCAL`, `INDIRECT_SYMBOL_ABS`).
    private func indirectSymbol(at place: UInt64) throws(ReadingError) -> UInt32? {
        guard var cursor = dynamicSymbolTable else { return nil }
        // Twelve numbers about parts of the symbol table and tables that nobody has.
        try cursor.skip(12 * 4)
        let start = UInt64(try cursor.number(UInt32.self))
        let count = UInt64(try cursor.number(UInt32.self))
        guard place < count else { return nil }
        let index = try file.number(
            UInt32.self, at: start + 4 * place, bigEndian: header.isBigEndian)
        return index & 0xc000_0000 == 0 ? index : nil
    }
}
