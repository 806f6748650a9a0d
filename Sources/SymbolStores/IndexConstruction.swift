public import CallStacks
public import DebugFiles
import FoundationEssentials
public import SymbolIndexes

extension SymbolIndex {
    /// The bytes of an index of everything that a debug file says.
    ///
    /// - Parameter usesLibDwarf: Reads debug information through libdwarf even where that is not
    ///   needed, for a second opinion.
    /// - Throws: ``SymbolStoreError`` for a file without identity or without a single name, since
    ///   nothing could be answered from it, and ``SymbolIndexes/SymbolIndexError`` for one that is
    ///   too large.
    public static func bytes(
        of file: DebugFile, name: String, usesLibDwarf: Bool = false
    ) throws -> [UInt8] {
        var builder = SymbolIndexBuilder(image: try image(of: file, name), layout: file.layout)
        let summary = file.read(into: &builder, usesLibDwarf: usesLibDwarf)
        return try builder.encode(notes: IndexNotes(summary))
    }

    /// The same bytes, made by several threads.
    ///
    /// - Parameter threads: How many at most; small files take one. `nil` for as many as there are
    ///   processors.
    public static func bytes(
        of file: DebugFile, name: String, threads: Int?
    ) async throws -> [UInt8] {
        try await BuiltIndex(of: file, name: name, threads: threads).bytes
    }

    fileprivate static func image(
        of file: DebugFile, _ name: String, standIn: ImageID? = nil
    ) throws(SymbolStoreError) -> IndexedImage {
        guard let id = file.id ?? standIn else {
            throw SymbolStoreError(
                name, "has no UUID or build id, so no report can name it",
                next: "link it with one (-Wl,--build-id)")
        }
        return IndexedImage(
            id: id, identityKind: file.kind.isELF ? .buildID : .uuid,
            architecture: file.architecture, base: file.layout.base,
            platform: file.platformNumber)
    }
}

/// An index as it was built, with what its debug file turned out to hold.
public struct BuiltIndex: Sendable {
    public let bytes: [UInt8]
    public let summary: DebugFileSummary

    /// - Parameters:
    ///   - threads: How many may work at most; small files take one. `nil` for as many as there are
    ///     processors.
    ///   - digest: The SHA-256 of the debug file, 32 bytes, if it is stored.
    ///   - standIn: The identity of a file that has none.
    ///   - map: The names that a bitcode build hid.
    /// - Throws: What ``SymbolIndexes/SymbolIndex/bytes(of:name:usesLibDwarf:)`` does.
    public init(
        of file: DebugFile, name: String, threads: Int?, digest: [UInt8]? = nil,
        standIn: ImageID? = nil, names map: BitcodeSymbolMap? = nil
    ) async throws {
        let image = try SymbolIndex.image(of: file, name, standIn: standIn)
        let workers = threads ?? ProcessInfo.processInfo.activeProcessorCount
        let makeBuilder = { @Sendable in SymbolIndexBuilder(image: image, layout: file.layout) }
        let builders: [SymbolIndexBuilder]
        if let map {
            let (sinks, summary) = await file.read(workers: workers) {
                RenamingSink(makeBuilder(), names: map)
            }
            builders = sinks.map(\.base)
            self.summary = summary.named(by: map)
        } else {
            (builders, summary) = await file.read(workers: workers, makingSinks: makeBuilder)
        }
        bytes = try await SymbolIndexBuilder.encode(
            builders, notes: IndexNotes(summary), debugFileDigest: digest)
    }
}

extension IndexNotes {
    fileprivate init(_ summary: DebugFileSummary) {
        self.init(
            producers: summary.producers, dwarfVersions: summary.dwarfVersions.map(Int.init),
            unitsRead: summary.unitsRead, unitsFailed: summary.unitsFailed,
            failures: summary.unitFailures,
            warnings: summary.warnings.map(\.line),
            hasDebugInformation: summary.hasFunctions || summary.hasLines)
    }
}
