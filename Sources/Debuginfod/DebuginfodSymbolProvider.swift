public import CallStacks
import DebugFiles
public import Problems
import SymbolIndexes
public import SymbolStores
public import Symbolication

/// Provides local symbols, and those of debuginfod servers for images that have none locally.
public actor DebuginfodSymbolProvider: SymbolProvider {
    private let local: any SymbolProvider
    private let client: DebuginfodClient
    private let indexes: IndexFolder?
    /// The downloaded symbols by image; `nil` for images that no server has.
    private var sent: [ImageID: Task<LocalSymbolProvider?, Never>] = [:]
    /// The identities that are known to be build IDs, although they may have the form of a UUID.
    private var buildIDs: Set<ImageID> = []

    /// - Parameter indexes: The folder for built indexes.
    public init(
        asking client: DebuginfodClient, beyond local: any SymbolProvider,
        cachedIn indexes: IndexFolder?
    ) {
        self.local = local
        self.client = client
        self.indexes = indexes
    }

    /// The failures of servers, without duplicates.
    public var problems: [Problem] {
        get async { await client.problems }
    }

    /// Records that an identity is a GNU build ID, so that servers are asked for it whatever its form
    /// is.
    public func add(buildID: ImageID) { buildIDs.insert(buildID) }

    public nonisolated func imageName(of image: ImageID) -> String? {
        local.imageName(of: image)
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        await symbols(for: image, at: [])
    }

    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        let supply = await local.symbols(for: image, at: offsets)
        if supply.hasDebugInformation { return supply }
        if supply.isOfELF { buildIDs.insert(image) }
        guard let symbols = await sentSymbols(of: image) else { return supply }
        return await symbols.symbols(for: image, at: offsets)
    }

    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        if let symbols = await sent[image]?.value {
            return await symbols.symbols(replacingDamagedIndexOf: image)
        }
        return await local.symbols(replacingDamagedIndexOf: image)
    }

    private func sentSymbols(of image: ImageID) async -> LocalSymbolProvider? {
        if let task = sent[image] { return await task.value }
        let isBuildID = buildIDs.contains(image)
        let task = Task { [client, indexes] () -> LocalSymbolProvider? in
            guard let path = await client.file(of: image, isBuildID: isBuildID) else { return nil }
            let supplement = await client.supplement(ofFileAt: path)
            let paths = [path, supplement].compactMap(\.self)
            return LocalSymbolProvider(SymbolInventory(paths: paths), cachedIn: indexes)
        }
        sent[image] = task
        return await task.value
    }
}

extension SymbolSupply {
    /// Whether the symbols are those of an ELF file, so that the image's identity is a build ID.
    fileprivate var isOfELF: Bool {
        switch self {
        case .found(let index), .excerpt(let index): index.image.identityKind == .buildID
        case .remote, .missing, .corrupt: false
        }
    }
}
