public import ByteReading

/// An index over mapped or loaded bytes, which maps offsets to functions, files and lines.
///
/// Opening reads only the header, which takes microseconds. A lookup verifies the checksum of each
/// chunk when it is first read. Whatever the bytes are, a lookup returns a result or throws; it
/// neither traps nor loops. An index that throws is damaged, and must be rebuilt from its debug
/// file.
public struct SymbolIndex: Sendable {
    /// All state in one object, so that copying an index is cheap.
    let sections: IndexSections

    var bytes: FileBytes { sections.bytes }
    var header: IndexHeader { sections.header }

    /// - Throws: `SymbolIndexError` if the magic, the version, the length, the header's checksum,
    ///   or the positions or counts of the sections are wrong. The sections' contents are checked
    ///   only by ``verify()``.
    public init(_ bytes: FileBytes) throws(SymbolIndexError) {
        sections = IndexSections(bytes, header: try IndexHeader(reading: bytes))
    }

    /// Whether the bytes begin like an index of any version.
    public static func recognises(_ bytes: FileBytes) -> Bool {
        bytes.count >= IndexLayout.magic.count
            && bytes.withSpan(of: IndexLayout.magic.indices) { start in
                IndexLayout.magic.indices.allSatisfy { start[$0] == IndexLayout.magic[$0] }
            }
    }

    /// A number that no other index opened by this process has. Copies have the same number.
    public var identity: UInt64 { sections.identity }

    /// The image that the index describes.
    public var image: IndexedImage { header.image }

    public var flags: IndexFlags { header.shape.flags }

    /// Whether any code has a line.
    public var hasLines: Bool { flags.contains(.lines) }

    /// Whether the functions are only from a symbol table.
    public var isSymbolTableOnly: Bool { flags.contains(.symbolTableOnly) }

    /// Whether the image is an Apple system image, and therefore never the app's.
    public var isOfSystem: Bool { flags.contains(.systemImage) }

    /// Whether a file with debug information could provide more.
    public var lacksDebugInformation: Bool {
        isSymbolTableOnly && !flags.contains(.completeSymbols)
    }

    /// Whether this program's builder would write the same index.
    public var isCurrent: Bool { header.builderRevision == SymbolIndexBuilder.revision }

    /// The SHA-256 of the debug file, or `nil` if it was not a stored one.
    public var debugFileDigest: [UInt8]? {
        header.digest.contains { $0 != 0 } ? header.digest : nil
    }

    /// The number of functions and inlined calls.
    public var scopeCount: Int { header.shape.counts.scopes }

    /// Calls `body` with the sections, and keeps the file alive until it returns.
    func withSections<Result>(
        _ body: (IndexSections) throws(SymbolIndexError) -> Result
    ) throws(SymbolIndexError) -> Result {
        defer { withExtendedLifetime(sections) {} }
        return try body(sections)
    }

    /// Returns the notes of the builder.
    public func notes() throws(SymbolIndexError) -> IndexNotes {
        let extent = header[.notes]
        let range = Int(extent.offset)..<Int(extent.offset + extent.length)
        try withSections { (sections) throws(SymbolIndexError) in
            try sections.chunks.verify(0..<range.count, of: sections.notes)
        }
        let json = bytes.withSpan(of: range) { span in span.indices.map { span[$0] } }
        let notes = IndexNotes(json: json, flags: flags)
        guard let notes else { throw SymbolIndexError(.corrupt(.notes, at: 0)) }
        return notes
    }
}
