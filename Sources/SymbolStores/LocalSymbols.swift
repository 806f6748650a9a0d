public import CallStacks
import SymbolIndexes
public import Symbolication

/// Called when an index is about to be built, which may take a while, with the name and size in bytes
/// of the debug file; what it returns is called when that has ended.
public typealias IndexingNotice =
    @Sendable (_ name: String, _ byteCount: Int) -> @Sendable () -> Void

/// Symbols from folders on this machine, indexed when they are first wanted.
///
/// Each image is opened once; whoever asks meanwhile waits for that.
public actor LocalSymbols: SymbolProvider {
    public nonisolated let inventory: SymbolInventory
    private let folder: IndexFolder?
    private var opened: [ImageID: Task<Result<SymbolIndex, SymbolStoreError>?, Never>] = [:]
    /// The images whose index was built again though one was kept.
    private var rebuilt: Set<ImageID> = []
    private var notice: IndexingNotice?

    /// - Parameter folder: Where built indexes are kept; without one each run builds its own.
    public init(_ inventory: SymbolInventory, cachedIn folder: IndexFolder?) {
        self.inventory = inventory
        self.folder = folder
    }

    /// Has somebody told of every index that is built from now on.
    public func noticeIndexing(_ notice: @escaping IndexingNotice) { self.notice = notice }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await supply(of: image)
    }

    /// Builds the index again, and keeps that in place of the damaged one. An index that was just
    /// built and is damaged all the same would not be better the next time.
    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply {
        if rebuilt.insert(image).inserted { opened[image] = nil }
        return await supply(of: image)
    }

    private func supply(of image: ImageID) async -> SymbolSupply {
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
                "image \(image)", "not in the given symbols",
                next: "give its dSYM or debug file with --symbols")
        }
    }

    private func open(_ image: ImageID) async -> Result<SymbolIndex, SymbolStoreError>? {
        if let task = opened[image] { return await task.value }
        let source = IndexSource(
            image: image, inventory: inventory, folder: folder,
            trustsFolder: !rebuilt.contains(image), notice: notice)
        let task = Task { await source.open() }
        opened[image] = task
        return await task.value
    }

    /// The name of the file that describes an image, which is that of the image but for endings.
    public nonisolated func name(of image: ImageID) -> String? {
        inventory.candidates(for: image).first.map {
            String($0.name.split(separator: "/").last ?? "")
        }
    }

    /// The architecture that the headers of an image's debug file give.
    public nonisolated func architecture(of image: ImageID) -> Architecture? {
        inventory.candidates(for: image).first?.architecture
    }

    /// What people call the file that describes an image best, and whether it has debug information.
    public nonisolated func origin(of image: ImageID) -> (name: String, isWhole: Bool)? {
        inventory.candidates(for: image).first.map { ($0.name, $0.hasDebugInformation) }
    }

    /// The file that describes an image best.
    public nonisolated func path(of image: ImageID) -> String? {
        inventory.candidates(for: image).first?.path
    }
}
