public import CallStacks
import ByteReading
import DebugFiles
import SymbolIndexes
public import Symbolication

/// Symbols from folders on this machine, indexed when they are first wanted.
///
/// Each image is opened once; whoever asks meanwhile waits for that.
public actor LocalSymbols: SymbolProvider {
    public nonisolated let inventory: SymbolInventory
    private let folder: IndexFolder?
    private var opened: [ImageID: Task<Result<SymbolIndex, SymbolStoreError>?, Never>] = [:]

    /// - Parameter folder: Where built indexes are kept; without one each run builds its own.
    public init(_ inventory: SymbolInventory, cachedIn folder: IndexFolder?) {
        self.inventory = inventory
        self.folder = folder
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        switch await open(image) {
        case .success(let index): .found(index)
        case .failure: .corrupt
        case nil: .missing
        }
    }

    /// Why the symbols of an image cannot be used; `nil` where they can.
    public func problem(of image: ImageID) async -> SymbolStoreError? {
        switch await open(image) {
        case .success: nil
        case .failure(let error): error
        case nil:
            SymbolStoreError(
                "image \(image)", "not in the given symbols", next: "give its dSYM with --symbols")
        }
    }

    private func open(_ image: ImageID) async -> Result<SymbolIndex, SymbolStoreError>? {
        if let task = opened[image] { return await task.value }
        let source = IndexSource(image: image, inventory: inventory, folder: folder)
        let task = Task { await source.open() }
        opened[image] = task
        return await task.value
    }

    /// The architecture that the headers of an image's debug file give.
    public nonisolated func architecture(of image: ImageID) -> Architecture? {
        inventory.candidates(for: image).first?.architecture
    }
}

/// How one image's index is come by: from the cache, else from the best of its debug files.
private struct IndexSource: Sendable {
    let image: ImageID
    let inventory: SymbolInventory
    let folder: IndexFolder?

    /// `nil` when no file describes the image.
    @concurrent
    func open() async -> Result<SymbolIndex, SymbolStoreError>? {
        let candidates = inventory.candidates(for: image)
        guard !candidates.isEmpty else { return nil }
        do {
            return .success(try index(of: try best(of: candidates)))
        } catch let error as SymbolStoreError {
            return .failure(error)
        } catch {
            return .failure(SymbolStoreError("image \(image)", "\(error)"))
        }
    }

    /// Of several files with debug information, or several without, the one that knows most.
    private func best(
        of candidates: [SymbolInventory.Candidate]
    ) throws -> SymbolInventory.Candidate {
        let rivals = candidates.prefix {
            $0.hasDebugInformation == candidates[0].hasDebugInformation
        }
        guard rivals.count > 1 else { return candidates[0] }
        let qualities = rivals.map { (try? debugFile(of: $0).summary().quality) ?? .nothing }
        let best = qualities.max() ?? .nothing
        return rivals[qualities.firstIndex(of: best) ?? 0]
    }

    private func index(of candidate: SymbolInventory.Candidate) throws -> SymbolIndex {
        let status = try FileStatus(of: candidate.path)
        let architecture = candidate.architecture
        if let index = folder?.index(of: image, architecture, from: status) { return index }
        let bytes = try SymbolIndex.bytes(of: debugFile(of: candidate), name: candidate.path)
        // A folder that cannot be written to costs the next run a second build, and nothing else.
        let mapped = try? folder?.keep(bytes, of: image, architecture, from: status)
        return try SymbolIndex(mapped ?? FileBytes(bytes))
    }

    private func debugFile(of candidate: SymbolInventory.Candidate) throws -> DebugFile {
        let bytes = try MappedFile.bytes(of: candidate.path)
        let files = try DebugFile.slices(of: bytes, name: candidate.path).files
        guard let file = files.first(where: { $0.id == image })
        else { throw SymbolStoreError(candidate.path, "changed while it was read") }
        return file
    }
}
