import ByteReading

extension SymbolIndex {
    /// Verifies the checksums of the whole file.
    ///
    /// - Throws: `SymbolIndexError` for the first difference. Every changed byte is detected,
    ///   including those between sections.
    /// - Complexity: O(*n*) in the length of the file.
    public func verify() throws(SymbolIndexError) {
        try withSections { (sections) throws(SymbolIndexError) in
            guard let position = sections.chunks.firstDamage() else { return }
            let damaged = IndexSection.allCases.last { header[$0].offset <= position }
            throw SymbolIndexError(.checksum(damaged ?? .buckets))
        }
    }
}
