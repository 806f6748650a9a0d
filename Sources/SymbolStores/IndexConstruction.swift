import CallStacks
public import DebugFiles
public import SymbolIndexes

extension SymbolIndex {
    /// The bytes of an index of everything that a debug file says.
    ///
    /// - Throws: ``SymbolStoreError`` for a file without identity or without a single name, since
    ///   nothing could be answered from it, and ``SymbolIndexes/SymbolIndexError`` for one that is
    ///   too large.
    public static func bytes(of file: DebugFile, name: String) throws -> [UInt8] {
        guard let id = file.id else {
            throw SymbolStoreError(
                name, "has no UUID or build id, so no report can name it",
                next: "link it with one (-Wl,--build-id)")
        }
        let image = IndexedImage(
            id: id, identityKind: file.kind.isELF ? .buildID : .uuid,
            architecture: file.architecture, base: file.layout.base,
            platform: file.platformNumber)
        var builder = SymbolIndexBuilder(image: image, layout: file.layout)
        let summary = file.read(into: &builder)
        return try builder.encode(notes: IndexNotes(summary))
    }
}

extension IndexNotes {
    fileprivate init(_ summary: DebugFileSummary) {
        self.init(
            producers: summary.producers, dwarfVersions: summary.dwarfVersions.map(Int.init),
            unitsRead: summary.unitsRead, unitsFailed: summary.unitsFailed,
            failures: summary.unitFailures,
            warnings: summary.warnings.map { "\($0.code.rawValue): \($0.text)" },
            hasDebugInformation: summary.hasFunctions || summary.hasLines)
    }
}
