import ByteReading
import CallStacks
import DebugFiles
import SymbolIndexes

extension IndexSource {
    /// The minimum size, in bytes, of a debug file from which excerpts are built. For smaller
    /// files, building the whole index is as fast.
    static let excerptFileBytes = 16 << 20
    /// The maximum number of offsets in an excerpt. The units that describe more of them are a
    /// large part of the file.
    static let excerptOffsetLimit = 1_024

    /// Returns an index of only the code at `offsets`, for the first lookup in a large file. The
    /// next process that looks up the image builds the whole index.
    ///
    /// - Returns: `nil` if there is an index, if building one is fast, if this is not the first
    ///   lookup, or if one of the offsets needs the whole file.
    @concurrent
    func excerpt(at offsets: [ImageOffset]) async -> SymbolIndex? {
        guard !offsets.isEmpty, offsets.count <= Self.excerptOffsetLimit,
            inventory.splitFiles.isEmpty, inventory.symbolMaps.path(for: image) == nil,
            let candidate = soleCandidate, candidate.byteCount >= Self.excerptFileBytes,
            let status = try? FileStatus(of: candidate.path),
            keptIndex(candidate, from: [status]) == nil,
            folder?.isFirstQuestion(image, architecture: candidate.architecture, from: [status])
                ?? true,
            let file = try? debugFile(of: candidate)
        else { return nil }
        let joined = JoinedSupplement(
            file, at: candidate.path, among: supplements(of: file),
            isExplicit: candidate.isExplicit)
        return SymbolIndex(excerptOf: joined.file, at: offsets, name: candidate.name)
    }

    /// The only file with debug information, or `nil` if there are several, because the best one is
    /// only known after reading all of them.
    private var soleCandidate: SymbolInventory.Candidate? {
        let candidates = inventory.candidates(for: image).filter(\.hasDebugInformation)
        return candidates.count == 1 ? candidates.first : nil
    }
}

extension SymbolIndex {
    /// Returns `nil` unless the units that describe `offsets` have a function with a file for each
    /// of them. Otherwise other units might describe the same code.
    init?(excerptOf file: DebugFile, at offsets: [ImageOffset], name: String) {
        guard let bytes = try? Self.bytes(of: file, at: offsets, name: name),
            let index = try? SymbolIndex(FileBytes(bytes)), index.quality == .full,
            offsets.allSatisfy({ index.hasFile(at: $0) })
        else { return nil }
        self = index
    }

    private func hasFile(at offset: ImageOffset) -> Bool {
        var hasFile = false
        let start = try? walk(at: offset) { if $0.file != nil { hasFile = true } }
        return start != nil && hasFile
    }
}
