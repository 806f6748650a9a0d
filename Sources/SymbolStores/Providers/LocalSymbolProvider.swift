public import CallStacks
public import DebugFiles
import SharedCaches
import SymbolIndexes
public import Symbolication

/// Called with the name and the size in bytes of a debug file when its index is about to be built,
/// which may take a while. Returns a closure that is called at the end.
public typealias IndexingNotice =
    @Sendable (_ name: String, _ byteCount: Int) -> @Sendable () -> Void

/// Provides symbols from folders on this machine, indexed on first use.
///
/// Each image is opened once, and concurrent lookups wait for it.
public actor LocalSymbolProvider: SymbolProvider {
    public nonisolated let inventory: SymbolInventory
    private let folder: IndexFolder?
    private var opened: [ImageID: Task<Result<SymbolIndex, SymbolStoreError>?, Never>] = [:]
    /// The images whose stored index was rebuilt because it was damaged.
    private var rebuilt: Set<ImageID> = []
    /// The images for which an excerpt was requested.
    private var excerpted: Set<ImageID> = []
    private var notice: IndexingNotice?
    /// The images whose first index was checked for files that it lacks.
    private var checked: Set<ImageID> = []
    /// The names of images whose indexes lack names or inlined calls because of files that were not
    /// read, by the code of the warning.
    public private(set) var imagesLackingFiles: [DebugFileWarning.Code: [String]] = [:]

    /// - Parameter folder: The cache of built indexes, or `nil` to build them in every run.
    public init(_ inventory: SymbolInventory, cachedIn folder: IndexFolder?) {
        self.inventory = inventory
        self.folder = folder
    }

    /// Registers an observer for newly built indexes.
    public func noticeIndexing(_ notice: @escaping IndexingNotice) { self.notice = notice }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await supply(of: image)
    }

    /// The first lookup in a large file uses an excerpt, without waiting for an index of the whole
    /// file.
    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        guard opened[image] == nil, excerpted.insert(image).inserted,
            let excerpt = await source(of: image).excerpt(at: offsets)
        else { return await supply(of: image) }
        check(excerpt, of: image)
        return .excerpt(excerpt)
    }

    /// Rebuilds an index and stores it in place of the damaged one. If the new index is damaged
    /// too, it is not rebuilt again.
    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        if rebuilt.insert(image).inserted { opened[image] = nil }
        return await supply(of: image)
    }

    private func supply(of image: ImageID) async -> SymbolSupply {
        switch await open(image) {
        case .success(let index):
            check(index, of: image)
            return .found(index)
        case .failure: return .corrupt
        case nil: return .missing
        }
    }

    /// Records the warnings of an index that is about to be used.
    private func check(_ index: SymbolIndex, of image: ImageID) {
        guard checked.insert(image).inserted else { return }
        let codes = index.warningCodes
        for code in [DebugFileWarning.Code.splitDwarfMissing, .dwzAlternateMissing]
        where codes.contains(code) {
            imagesLackingFiles[code, default: []].append(name(of: image) ?? image.description)
        }
    }

    /// Returns why the symbols of an image cannot be used, or `nil` if they can.
    public func problem(of image: ImageID) async -> SymbolStoreError? {
        switch await open(image) {
        case .success: nil
        case .failure(let error): error
        case nil:
            SymbolStoreError(
                "image \(image)", detail: "not in the given symbols",
                suggestion: "add its dSYM or debug file with --symbols")
        }
    }

    private func open(_ image: ImageID) async -> Result<SymbolIndex, SymbolStoreError>? {
        if let task = opened[image] { return await task.value }
        let source = source(of: image)
        let task = Task { await source.open() }
        opened[image] = task
        return await task.value
    }

    private func source(of image: ImageID) -> IndexSource {
        IndexSource(
            image: image, inventory: inventory, folder: folder,
            trustsFolder: !rebuilt.contains(image), notice: notice)
    }

    /// Returns the name of the file that describes an image, which is the image's name apart from
    /// suffixes. The file of an extracted system image is named by its identity, and contains the
    /// image's name.
    public nonisolated func name(of image: ImageID) -> String? {
        inventory.candidates(for: image).first.map { candidate in
            candidate.nameInExtractedFile(of: image)
                ?? String(candidate.name.split(separator: "/").last ?? "")
        }
    }

    public nonisolated func imageName(of image: ImageID) -> String? {
        name(of: image).map { SymbolStores.imageName(ofDebugFile: $0) }
    }

    /// Returns the architecture in the headers of an image's debug file.
    public nonisolated func architecture(of image: ImageID) -> Architecture? {
        inventory.candidates(for: image).first?.architecture
    }

    /// Returns where the code of an image is in its file, or `nil` if none of its files is
    /// available.
    public nonisolated func placement(of image: ImageID) -> ImagePlacement? {
        var best: ImagePlacement?
        for candidate in inventory.candidates(for: image) {
            guard
                let file = DebugFileSearch([candidate.path]).files.first?.contents().files
                    .first(where: { $0.id == image })
            else { continue }
            if !file.placement.segments.isEmpty { return file.placement }
            best = best ?? file.placement
        }
        return best
    }

    /// Returns the display path of the file that best describes an image, and whether it has debug
    /// information.
    public nonisolated func origin(of image: ImageID) -> (name: String, isWhole: Bool)? {
        inventory.candidates(for: image).first.map { ($0.name, $0.hasDebugInformation) }
    }

    /// Returns the link address and size in bytes of an image in a shared cache, or `nil` for other
    /// images.
    public nonisolated func cachedExtent(of image: ImageID) -> (
        base: LinkAddress, byteCount: UInt64
    )? {
        inventory.candidates(for: image).first?.cached.map { ($0.image.address, $0.image.textSize) }
    }

    /// Returns the path of the file that best describes an image.
    public nonisolated func path(of image: ImageID) -> String? {
        inventory.candidates(for: image).first?.path
    }
}
