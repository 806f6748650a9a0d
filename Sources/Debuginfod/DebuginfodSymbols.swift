public import CallStacks
import SymbolIndexes
public import SymbolStores
public import Symbolication

/// Symbols of this machine, and of debuginfod servers where this machine has none.
public actor DebuginfodSymbols: SymbolProvider {
    private let local: LocalSymbols
    private let client: DebuginfodClient
    private let indexes: IndexFolder?
    /// What servers sent, by image; nothing for what they do not have.
    private var sent: [ImageID: Task<LocalSymbols?, Never>] = [:]

    /// - Parameter indexes: Where built indexes are kept.
    public init(
        asking client: DebuginfodClient, beyond local: LocalSymbols, cachedIn indexes: IndexFolder?
    ) {
        self.local = local
        self.client = client
        self.indexes = indexes
    }

    /// What went wrong with servers, each once.
    public var problems: [String] {
        get async { await client.problems }
    }

    public func symbols(for image: ImageID) async -> SymbolSupply {
        let supply = await local.symbols(for: image)
        if supply.holdsDebugInformation { return supply }
        guard let symbols = await sentSymbols(of: image) else { return supply }
        return await symbols.symbols(for: image)
    }

    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply {
        if let symbols = await sent[image]?.value {
            return await symbols.symbols(insteadOfDamagedFor: image)
        }
        return await local.symbols(insteadOfDamagedFor: image)
    }

    private func sentSymbols(of image: ImageID) async -> LocalSymbols? {
        if let task = sent[image] { return await task.value }
        let task = Task { [client, indexes] () -> LocalSymbols? in
            guard let path = await client.file(of: image) else { return nil }
            return LocalSymbols(SymbolInventory(paths: [path]), cachedIn: indexes)
        }
        sent[image] = task
        return await task.value
    }
}
