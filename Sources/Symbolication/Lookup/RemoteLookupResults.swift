public import CallStacks

/// The results of another process's lookups in the symbols of one image.
public struct RemoteLookupResults: Sendable {
    public var architecture: Architecture?
    /// Whether the symbols have names only and no debug information.
    public var isSymbolTableOnly: Bool
    /// Whether the image belongs to one of Apple's systems, so that none of its frames is the
    /// app's.
    public var isOfSystem = false
    /// Linkage names, indexed by the numbers in ``results``.
    public var names: [String]
    /// Source files, indexed in the same way.
    public var files: [SourceFile]
    public var results: [ImageOffset: OffsetLookupResult]

    public init(
        architecture: Architecture?, isSymbolTableOnly: Bool, names: [String] = [],
        files: [SourceFile] = [], results: [ImageOffset: OffsetLookupResult] = [:]
    ) {
        self.architecture = architecture
        self.isSymbolTableOnly = isSymbolTableOnly
        self.names = names
        self.files = files
        self.results = results
    }

    /// Whether a result reports damaged symbols. In this case none of the results is used.
    var isCorrupt: Bool { results.values.contains { $0.status == .corruptIndex } }

    /// Returns the result for one offset, with its texts renumbered into those of all images.
    func result(at offset: ImageOffset, texts: inout LookupTables) -> OffsetResolution {
        guard let result = results[offset] else { return .unresolved(.notFound) }
        guard !result.functions.isEmpty else {
            return .unresolved(result.status, isOutsideCode: result.isOutsideCode)
        }
        var functions = result.functions
        for index in functions.indices {
            functions[index].name = functions[index].name.map { texts.names.number(of: names[$0]) }
            functions[index].file = functions[index].file.map { texts.files.number(of: files[$0]) }
        }
        return .functions(functions[...], start: result.functionStart)
    }
}
