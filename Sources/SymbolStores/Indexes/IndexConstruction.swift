public import CallStacks
public import DebugFiles
import TaskCoordination
public import SymbolIndexes

extension SymbolIndex {
    /// Returns the bytes of an index of a debug file.
    ///
    /// - Parameter usesLibDwarf: Whether to read debug information through libdwarf even if that is
    ///   not needed, for a second opinion.
    /// - Throws: ``SymbolStoreError`` if the file has no identity or no function names, as its
    ///   index would be useless, and ``SymbolIndexes/SymbolIndexError`` if the file is too large.
    public static func bytes(
        of file: DebugFile, name: String, usesLibDwarf: Bool = false
    ) throws -> [UInt8] {
        var builder = SymbolIndexBuilder(
            image: try image(of: file, name: name), layout: file.layout)
        let summary = file.read(into: &builder, usesLibDwarf: usesLibDwarf)
        return try builder.encode(notes: IndexNotes(summary))
    }

    /// Returns the bytes of an index of only the units that describe the code at `offsets`, or
    /// `nil` if other units may describe it too.
    static func bytes(
        of file: DebugFile, at offsets: [ImageOffset], name: String
    ) throws -> [UInt8]? {
        var builder = SymbolIndexBuilder(
            image: try image(of: file, name: name), layout: file.layout)
        return try file.read(at: offsets, into: &builder).map { summary in
            try builder.encode(notes: IndexNotes(summary))
        }
    }

    /// Returns the bytes of an index of a debug file, built by several threads.
    ///
    /// - Parameter threads: The maximum number of threads, or `nil` for the number of processors.
    ///   Small files are read by one thread.
    public static func bytes(
        of file: DebugFile, name: String, threads: Int?
    ) async throws -> [UInt8] {
        try await BuiltIndex(of: file, name: name, threads: threads).bytes
    }

    fileprivate static func image(
        of file: DebugFile, name: String, standIn: ImageID? = nil
    ) throws(SymbolStoreError) -> IndexedImage {
        guard let id = file.id ?? standIn else {
            throw SymbolStoreError(unlinked: file, name: name)
                ?? SymbolStoreError(
                    name, detail: "has no UUID or build ID, so no report can refer to it",
                    suggestion: "link it with -Wl,--build-id")
        }
        return IndexedImage(
            id: id, identityKind: file.kind.isELF ? .buildID : .uuid,
            architecture: file.architecture, base: file.layout.base,
            platform: file.platformNumber, segments: file.placement.segments,
            textSize: file.textSize)
    }
}

/// A newly built index with a summary of its debug file.
public struct BuiltIndex: Sendable {
    public let bytes: [UInt8]
    public let summary: DebugFileSummary

    /// - Parameters:
    ///   - threads: The maximum number of threads, or `nil` for the number of processors. Small
    ///     files are read by one thread.
    ///   - digest: The SHA-256 of the debug file (32 bytes), if it is stored.
    ///   - standIn: The identity to use if the file has none.
    ///   - map: The map that restores names hidden by a bitcode build.
    /// - Throws: The errors of ``SymbolIndexes/SymbolIndex/bytes(of:name:usesLibDwarf:)``.
    public init(
        of file: DebugFile, name: String, threads: Int?, digest: [UInt8]? = nil,
        standIn: ImageID? = nil, names map: BitcodeSymbolMap? = nil
    ) async throws {
        let image = try SymbolIndex.image(of: file, name: name, standIn: standIn)
        let workers = threads ?? ContainerLimits.processorCount
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
            hasDebugInformation: summary.hasFunctions || summary.hasLines,
            isOfSystem: summary.isOfSystem, hasCompleteSymbols: summary.hasCompleteSymbols)
    }
}
