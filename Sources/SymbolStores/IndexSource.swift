import ByteReading
import CallStacks
import DebugFiles
import SymbolIndexes

/// How one image's index is come by: from the cache, else from the best of its debug files.
struct IndexSource: Sendable {
    let image: ImageID
    let inventory: SymbolInventory
    let folder: IndexFolder?
    /// Whether an index that the folder has is used, or replaced.
    let trustsFolder: Bool
    let notice: IndexingNotice?

    /// How many files of one identity are compared. A build has an image, its debug file and perhaps
    /// a copy of each; more are copies.
    static let rivalLimit = 8

    /// `nil` when no file describes the image.
    @concurrent
    func open() async -> Result<SymbolIndex, SymbolStoreError>? {
        var best: SymbolIndex?
        var failure: SymbolStoreError?
        for candidate in inventory.candidates(for: image).prefix(Self.rivalLimit) {
            // Those without debug information come last, and know less.
            if best != nil, !candidate.hasDebugInformation, best?.isSymbolTableOnly == false {
                break
            }
            do throws(SymbolStoreError) {
                let index = try await index(of: candidate)
                if best.map({ index.knowsMore(than: $0) }) ?? true { best = index }
                if index.quality == .full { break }
            } catch {
                failure = failure ?? error
            }
        }
        return best.map { .success($0) } ?? failure.map { .failure($0) }
    }

    private func index(
        of candidate: SymbolInventory.Candidate
    ) async throws(SymbolStoreError) -> SymbolIndex {
        let status = try FileStatus(of: candidate.path)
        let map = inventory.symbolMaps.path(for: image)
        let named = [status, map.flatMap { try? FileStatus(of: $0) }].compactMap(\.self)
        let kept = keptIndex(candidate, from: named)
        // Only an index that lacks what was split off may be better by now.
        if let kept, inventory.splitFiles.isEmpty || !kept.lacksSplitUnits { return kept }
        let joined = JoinedDebugFile(
            try debugFile(of: candidate), at: candidate.path, with: inventory.splitFiles)
        let sources = named + joined.parts
        if let index = joined.parts.isEmpty ? kept : keptIndex(candidate, from: sources) {
            return index
        }
        return try await build(joined.file, of: candidate, from: sources, names: map)
    }

    private func keptIndex(
        _ candidate: SymbolInventory.Candidate, from sources: [FileStatus]
    ) -> SymbolIndex? {
        guard trustsFolder else { return nil }
        return folder?.index(of: image, candidate.architecture, from: sources)
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
                // Without its names a file is still worth its lines.
                names: map.flatMap { try? BitcodeSymbolMap(path: $0) }
            ).bytes
            // A folder that cannot be written to costs the next run a second build, and nothing else.
            let mapped = try? folder?.keep(
                bytes, of: image, candidate.architecture, from: sources)
            return try SymbolIndex(mapped ?? FileBytes(bytes))
        } catch let error as SymbolStoreError {
            throw error
        } catch {
            throw SymbolStoreError(candidate.name, "\(error)")
        }
    }

    private func debugFile(
        of candidate: SymbolInventory.Candidate
    ) throws(SymbolStoreError) -> DebugFile {
        let bytes = try MappedFile.bytes(of: candidate.path)
        let files = (try? DebugFile.slices(of: bytes, name: candidate.name).files) ?? []
        guard let file = files.first(where: { $0.id == image }) else {
            throw SymbolStoreError(candidate.name, "changed while it was read", next: "try again")
        }
        return file
    }
}

extension SymbolIndex {
    /// How well it answers, by what its builder noted.
    fileprivate var quality: DebugFileSummary.Quality {
        if isSymbolTableOnly { return scopeCount > 0 ? .symbols : .nothing }
        return hasLines && !lacksSplitUnits && !flags.contains(.unitsFailed) ? .full : .lines
    }

    /// Whether functions and inlined calls are in files that it was not built from.
    fileprivate var lacksSplitUnits: Bool {
        let warnings = (try? notes().warnings) ?? []
        return warnings.contains {
            $0.hasPrefix(DebugFileWarning.Code.splitDwarfMissing.rawValue)
        }
    }

    fileprivate func knowsMore(than other: SymbolIndex) -> Bool {
        (quality, scopeCount) > (other.quality, other.scopeCount)
    }
}
