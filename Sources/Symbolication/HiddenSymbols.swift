public import CallStacks

/// What lookups ignore although it is stored, so that their results are those from before.
public struct HiddenSymbols: Hashable, Sendable {
    /// The images whose symbols are ignored.
    public var images: Set<ImageID>
    /// The images that builds list as the app's own, which is ignored.
    public var appImages: Set<ImageID>

    public init(images: Set<ImageID> = [], appImages: Set<ImageID> = []) {
        self.images = images
        self.appImages = appImages
    }

    public var isEmpty: Bool { images.isEmpty && appImages.isEmpty }
}

extension Symbolicator {
    /// Returns a symbolicator that ignores some of what is stored.
    public func without(_ hidden: HiddenSymbols) -> Self {
        guard !hidden.isEmpty else { return self }
        let inApp = inApp
        return reading(from: ReducedProvider(all: provider, hidden: hidden.images)) {
            var rules = inApp()
            rules.images.subtract(hidden.appImages)
            return rules
        }
    }
}

/// The symbols of a provider without those of some images.
private struct ReducedProvider: SymbolProvider {
    let all: any SymbolProvider
    let hidden: Set<ImageID>

    func symbols(for image: ImageID) async -> SymbolSupply {
        hidden.contains(image) ? .missing : await all.symbols(for: image)
    }

    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        hidden.contains(image) ? .missing : await all.symbols(for: image, at: offsets)
    }

    func cachedSymbols(for image: ImageID) -> SymbolSupply? {
        hidden.contains(image) ? .missing : all.cachedSymbols(for: image)
    }

    func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply {
        hidden.contains(image) ? .missing : await all.symbols(replacingDamagedIndexOf: image)
    }
}
