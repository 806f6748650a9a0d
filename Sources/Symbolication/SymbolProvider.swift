public import CallStacks
public import SymbolIndexes

/// A source of symbols, such as a folder, a store or a service. Symbolication itself performs no
/// input or output.
public protocol SymbolProvider: Sendable {
    /// Returns the symbols of one image. Called once per image and diagnostic, concurrently.
    func symbols(for image: ImageID) async -> SymbolSupply

    /// Returns symbols for the given offsets only, for providers that have no index to map.
    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply

    /// Returns an image's symbols, or `nil` if they are not available without waiting. This saves
    /// creating a task for each image that was used before.
    func cachedSymbols(for image: ImageID) -> SymbolSupply?

    /// Returns symbols to replace an index that was found to be damaged during a lookup. Called at
    /// most once per image and diagnostic.
    func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply

    /// Returns the name of an image, from its debug file, or `nil` if it is unknown. Called after
    /// the image's symbols were returned, for images that a report does not name.
    func imageName(of image: ImageID) -> String?
}

extension SymbolProvider {
    /// The default for providers that do not know the names of files.
    public func imageName(of image: ImageID) -> String? { nil }

    /// The default for providers with indexes, which cover all offsets.
    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        await symbols(for: image)
    }

    /// The default for providers without a cache.
    public func cachedSymbols(for image: ImageID) -> SymbolSupply? { nil }

    /// The default for providers that cannot rebuild an index.
    public func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply { .corrupt }
}

/// The symbols that a ``SymbolProvider`` has for one image.
public enum SymbolSupply: Sendable {
    /// An index, open for lookup. Whether it has debug information is recorded in the index.
    case found(SymbolIndex)
    /// An index of only the code at the requested offsets. It has no information about other
    /// offsets.
    case excerpt(SymbolIndex)
    /// Lookup results for the requested offsets, from a remote provider.
    case remote(RemoteLookupResults)
    /// No symbols were supplied for the image.
    case missing
    /// Symbols were supplied but cannot be read. This includes an index found to be damaged during
    /// a lookup: its image is reported as corrupt, and the index's owner rebuilds it.
    case corrupt
}

extension SymbolSupply {
    /// Whether these are the best possible symbols: debug information, and not only names.
    public var hasDebugInformation: Bool {
        switch self {
        case .found(let index), .excerpt(let index): !index.lacksDebugInformation
        case .remote(let image): !image.isSymbolTableOnly
        case .missing, .corrupt: false
        }
    }
}
