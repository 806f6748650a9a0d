import ByteReading
import CallStacks
import DebugFiles
import SharedCaches
import SymbolIndexes

/// The source of an image's index: the cache, or else the best of its debug files.
struct IndexSource: Sendable {
    let image: ImageID
    let inventory: SymbolInventory
    let folder: IndexFolder?
    /// Whether to use an index in the folder, rather than replace it.
    let trustsFolder: Bool
    let notice: IndexingNotice?

    /// The maximum number of files of one identity that are compared. A build has an image, its
    /// debug file and perhaps a copy of each; more are copies.
    static let rivalLimit = 8

    /// Returns the index, or `nil` if no file describes the image.
    @concurrent
    func open() async -> Result<SymbolIndex, SymbolStoreError>? {
        var best: SymbolIndex?
        var failure: SymbolStoreError?
        for candidate in inventory.candidates(for: image).prefix(Self.rivalLimit) {
            // Files without debug information come last, because they provide less.
            if best != nil, !candidate.hasDebugInformation, best?.isSymbolTableOnly == false {
                break
            }
            do throws(SymbolStoreError) {
                let index = try await index(of: candidate)
                if best.map({ index.knowsMore(than: $0) }) ?? true { best = index }
                if index.quality == .full || isBestOfSystem(candidate) { break }
            } catch {
                failure = failure ?? error
            }
        }
        return best.map { .success($0) } ?? failure.map { .failure($0) }
    }

    /// Whether a shared cache has all symbols of the image. If so, no file has more; files that
    /// Xcode extracts from a cache are next to it.
    private func isBestOfSystem(_ candidate: SymbolInventory.Candidate) -> Bool {
        candidate.cached.map { inventory.caches[$0.cache].cache.hasLocalSymbols } ?? false
    }

    private func index(
        of candidate: SymbolInventory.Candidate
    ) async throws(SymbolStoreError) -> SymbolIndex {
        if let reference = candidate.cached {
            return try await index(of: candidate, at: reference)
        }
        let status = try FileStatus(of: candidate.path)
        let map = inventory.symbolMaps.path(for: image)
        let named = [status, map.flatMap { try? FileStatus(of: $0) }].compactMap(\.self)
        let kept = keptIndex(candidate, from: named)
        // Only an index that was built without some of its files could be improved.
        let isJoined = candidate.isExplicit || !inventory.splitFiles.isEmpty
        if let kept, !kept.lacksSupplement, !isJoined || !kept.lacksSplitUnits { return kept }
        let file = try debugFile(of: candidate)
        let joined = JoinedDebugFile(
            file, at: candidate.path, with: inventory.splitFiles,
            supplements: supplements(of: file),
            isExplicit: candidate.isExplicit)
        let sources = named + joined.parts.map(\.status)
        if let index = joined.parts.isEmpty ? kept : keptIndex(candidate, from: sources) {
            return index
        }
        return try await build(joined.file, of: candidate, from: sources, names: map)
    }

    private func index(
        of candidate: SymbolInventory.Candidate, at reference: SymbolInventory.CacheReference
    ) async throws(SymbolStoreError) -> SymbolIndex {
        let located = inventory.caches[reference.cache]
        if let kept = keptIndex(candidate, from: located.sources) { return kept }
        let file = try located.debugFile(of: reference.image)
        return try await build(file, of: candidate, from: located.sources, names: nil)
    }

    func keptIndex(
        _ candidate: SymbolInventory.Candidate, from sources: [FileStatus]
    ) -> SymbolIndex? {
        guard trustsFolder else { return nil }
        return folder?.index(of: image, architecture: candidate.architecture, from: sources)
    }

    private func build(
        _ file: DebugFile, of candidate: SymbolInventory.Candidate, from sources: [FileStatus],
        names map: String?
    ) async throws(SymbolStoreError) -> SymbolIndex {
        let ended = notice?(candidate.name, candidate.byteCount)
        defer { ended?() }
        do {
            let bytes = try await BuiltIndex(
                of: file, name: candidate.name, threads: nil,
                // Without the names of its map, a file still has lines.
                names: map.flatMap { try? BitcodeSymbolMap(path: $0) }
            ).bytes
            // If the folder is not writable, the next run builds the index again.
            let mapped = try? folder?.keep(
                bytes, of: image, architecture: candidate.architecture, from: sources)
            return try SymbolIndex(mapped ?? FileBytes(bytes))
        } catch let error as SymbolStoreError {
            throw error
        } catch {
            throw SymbolStoreError(candidate.name, detail: "\(error)")
        }
    }

    /// Returns the files with the build ID of a file's supplementary file.
    func supplements(of file: DebugFile) -> [SplitFileInventory.File] {
        guard let id = file.supplementLink?.id else { return [] }
        return inventory.candidates(for: id).prefix(Self.rivalLimit).map {
            SplitFileInventory.File(path: $0.path, name: $0.name)
        }
    }

    func debugFile(
        of candidate: SymbolInventory.Candidate
    ) throws(SymbolStoreError) -> DebugFile {
        let bytes = try MappedFile.bytes(of: candidate.path)
        let files = (try? DebugFile.slices(of: bytes, name: candidate.name).files) ?? []
        guard let file = files.first(where: { $0.id == image }) else {
            throw SymbolStoreError(
                candidate.name, detail: "changed while it was read", suggestion: "try again")
        }
        return file
    }
}

extension SymbolIndex {
    /// The quality of its results, from the notes of its builder.
    var quality: DebugFileSummary.Quality {
        if isSymbolTableOnly { return scopeCount > 0 ? .symbols : .nothing }
        let isWhole = !lacksSplitUnits && !lacksSupplement && !flags.contains(.unitsFailed)
        return hasLines && isWhole ? .full : .lines
    }

    /// Whether functions and inlined calls are in split units that were missing when it was built.
    fileprivate var lacksSplitUnits: Bool { warningCodes.contains(.splitDwarfMissing) }

    /// Whether names are in a supplementary file that was missing when it was built.
    fileprivate var lacksSupplement: Bool { warningCodes.contains(.dwzAlternateMissing) }

    /// The codes of the debug file's warnings.
    var warningCodes: Set<DebugFileWarning.Code> {
        let warnings = (try? notes().warnings) ?? []
        return Set(warnings.compactMap { DebugFileWarning(line: $0)?.code })
    }

    fileprivate func knowsMore(than other: SymbolIndex) -> Bool {
        (quality, scopeCount) > (other.quality, other.scopeCount)
    }
}
