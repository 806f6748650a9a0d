public import ByteReading

/// An index over mapped or loaded bytes: which functions, files and lines lie behind an offset.
///
/// Opening reads the header and nothing else, in microseconds. A lookup compares what it reads with
/// its checksums, once. Whatever the bytes hold, it gives an answer or throws; it neither traps nor
/// runs on. An index that throws is damaged: it is built again from its debug file.
public struct SymbolIndex: Sendable {
    /// One object with all that was opened, so that handing an index on costs next to nothing.
    let sections: IndexSections

    var bytes: FileBytes { sections.bytes }
    var header: IndexHeader { sections.header }

    /// - Throws: If magic, version, length, header checksum, or the places and counts of the
    ///   sections are wrong. The sections' contents are not looked at; ``verify()`` does that.
    public init(_ bytes: FileBytes) throws(SymbolIndexError) {
        sections = IndexSections(bytes, try IndexHeader(reading: bytes))
    }

    /// Whether the bytes begin as an index does, of whatever version.
    public static func recognises(_ bytes: FileBytes) -> Bool {
        bytes.count >= IndexLayout.magic.count
            && bytes.withSpan(of: IndexLayout.magic.indices) { start in
                IndexLayout.magic.indices.allSatisfy { start[$0] == IndexLayout.magic[$0] }
            }
    }

    /// The image that the index describes.
    public var image: IndexedImage { header.image }

    public var flags: IndexFlags { header.shape.flags }

    /// Whether some code has a line.
    public var hasLines: Bool { flags.contains(.lines) }

    /// Whether its functions are only those of a symbol table.
    public var isSymbolTableOnly: Bool { flags.contains(.symbolTableOnly) }

    /// Whether the builder of this program would write the same answers.
    public var isCurrent: Bool { header.builderRevision == SymbolIndexBuilder.revision }

    /// The SHA-256 of the debug file, or `nil` if that was not a stored one.
    public var debugFileDigest: [UInt8]? {
        header.digest.contains { $0 != 0 } ? header.digest : nil
    }

    /// How many functions and inlined calls the index holds.
    public var scopeCount: Int { header.shape.counts.scopes }

    /// How many places have an answer of their own.
    public var entryCount: Int { header.shape.counts.entries }

    /// Calls `body` with the sections, which are views of the file and keep it alive until it ends.
    func withSections<Result>(
        _ body: (IndexSections) throws(SymbolIndexError) -> Result
    ) throws(SymbolIndexError) -> Result {
        defer { withExtendedLifetime(sections) {} }
        return try body(sections)
    }

    /// What the builder noted beside the answers.
    public func notes() throws(SymbolIndexError) -> IndexNotes {
        let extent = header[.notes]
        let range = Int(extent.offset)..<Int(extent.offset + extent.length)
        try withSections { (sections) throws(SymbolIndexError) in
            try sections.chunks.verify(0..<range.count, of: sections.notes)
        }
        let json = bytes.withSpan(of: range) { span in span.indices.map { span[$0] } }
        let notes = IndexNotes(json: json, hasDebugInformation: !isSymbolTableOnly)
        guard let notes else { throw SymbolIndexError(.corrupt(.notes, at: 0)) }
        return notes
    }
}
