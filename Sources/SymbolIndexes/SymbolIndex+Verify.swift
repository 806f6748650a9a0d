import ByteReading

extension SymbolIndex {
    /// Reads the whole file and compares every section with its checksum.
    ///
    /// - Throws: What differs first. Every changed byte is found, those between sections included.
    /// - Complexity: O(*n*) in the length of the file.
    public func verify() throws(SymbolIndexError) {
        var end = UInt64(IndexLayout.headerSize)
        for section in IndexSection.allCases {
            let extent = header[section]
            let gap = Int(end)..<Int(extent.offset)
            let content = Int(extent.offset)..<Int(extent.offset + extent.length)
            let isZero = bytes.withSpan(of: gap) { span in span.indices.allSatisfy { span[$0] == 0 }
            }
            let checksum = bytes.withSpan(of: content) { CRC32C.of($0) }
            guard isZero, checksum == extent.checksum else {
                throw SymbolIndexError(.checksum(section))
            }
            end = extent.offset + extent.length
        }
    }
}
