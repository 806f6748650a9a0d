public import CallStacks
public import SymbolIndexes

/// Where symbols come from: a folder, a store, a server. The use case asks, and does no input or
/// output of its own.
public protocol SymbolProvider: Sendable {
    /// The symbols of one image. Called once per image and diagnostic, for several images at a time.
    func symbols(for image: ImageID) async -> SymbolSupply

    /// The same where only these offsets are wanted. Who has no index, because the symbols are
    /// elsewhere, answers the offsets themselves.
    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply

    /// What is known of an image at once; `nil` where it has to be waited for. Saves a task for each
    /// image that was asked about before.
    func symbolsAtHand(for image: ImageID) -> SymbolSupply?

    /// The symbols of an image whose index was found damaged when it was asked. Called at most once
    /// per image and diagnostic.
    func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply
}

extension SymbolProvider {
    /// For providers that have indexes, which answer any offset.
    public func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        await symbols(for: image)
    }

    /// For providers that have nothing at hand.
    public func symbolsAtHand(for image: ImageID) -> SymbolSupply? { nil }

    /// For providers that derive their indexes from nothing.
    public func symbols(insteadOfDamagedFor image: ImageID) async -> SymbolSupply { .corrupt }
}

/// What a ``SymbolProvider`` has for one image.
public enum SymbolSupply: Sendable {
    /// An index, open for lookup. Whether it holds debug information, it says itself.
    case found(SymbolIndex)
    /// What symbols that are elsewhere say of the offsets that were asked for.
    case answered(AnsweredImage)
    /// Nobody supplied anything for the image.
    case missing
    /// Something was supplied and cannot be read. An index that is found damaged only when it is
    /// asked counts as this too: its image is reported as corrupt, and who keeps it builds it again.
    case corrupt
}

extension SymbolSupply {
    /// Whether nothing better can be hoped for: debug information, and not only names.
    public var holdsDebugInformation: Bool {
        switch self {
        case .found(let index): !index.isSymbolTableOnly
        case .answered(let image): !image.isSymbolTableOnly
        case .missing, .corrupt: false
        }
    }
}
