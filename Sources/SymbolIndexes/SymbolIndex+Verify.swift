import ByteReading

extension SymbolIndex {
    /// Reads the whole file and compares all of it with its checksums.
    ///
    /// - Throws: What differs first. Every changed byte is found, those between sections included.
    /// - Complexity: O(*n*) in the length of the file.
    public func verify() throws(SymbolIndexError) {
        try withSections { (sections) throws(SymbolIndexError) in
            guard let place = sections.chunks.firstDamage() else { return }
            let damaged = IndexSection.allCases.last { header[$0].offset <= place }
            throw SymbolIndexError(.checksum(damaged ?? .buckets))
        }
    }
}
