public import CallStacks

/// Symbols that lookups ignore although they are stored, to reproduce the results from before they
/// were stored.
public struct HiddenSymbols: Hashable, Sendable {
    /// The images whose symbols are ignored.
    public var images: Set<ImageID>
    /// The images whose symbols are treated as unreadable.
    public var unreadable: Set<ImageID>
    /// The images that count as not listed by any build.
    public var appImages: Set<ImageID>

    public init(
        images: Set<ImageID> = [], unreadable: Set<ImageID> = [], appImages: Set<ImageID> = []
    ) {
        self.images = images
        self.unreadable = unreadable
        self.appImages = appImages
    }

    public var isEmpty: Bool { images.isEmpty && unreadable.isEmpty && appImages.isEmpty }

    /// Returns the replacement for an image's symbols, or `nil` if they are not hidden.
    fileprivate func substitute(for image: ImageID) -> SymbolSupply? {
        if unreadable.contains(image) { return .corrupt }
        return images.contains(image) ? .missing : nil
    }
}

extension Symbolicator {
    /// Returns a symbolicator that ignores hidden symbols.
    public func without(_ hidden: HiddenSymbols) -> Self {
        guard !hidden.isEmpty else { return self }
        let inApp = inApp
        return reading(from: ReducedProvider(all: provider, hidden: hidden)) {
            var rules = inApp()
            rules.images.subtract(hidden.appImages)
            return rules
        }
    }
}

/// The symbols of a provider without those of some images.
private struct ReducedProvider: SymbolProvider {
    let all: any SymbolProvider
    let hidden: HiddenSymbols

    func symbols(for image: ImageID) async -> SymbolSupply {
        if let substitute = hidden.substitute(for: image) { return substitute }
        return await all.symbols(for: image)
    }

    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        if let substitute = hidden.substitute(for: image) { return substitute }
        return await all.symbols(for: image, at: offsets)
    }

    func cachedSymbols(for image: ImageID) -> SymbolSupply? {
        hidden.substitute(for: image) ?? all.cachedSymbols(for: image)
    }

    func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        if let substitute = hidden.substitute(for: image) { return substitute }
        return await all.symbols(replacingDamagedIndexOf: image)
    }
}
