public import CallStacks
import SymbolIndexes

/// The symbols of some images, fetched and ready to be asked.
public struct FetchedSymbols: Sendable {
    private var supplies: [ImageID: SymbolSupply] = [:]

    /// Images that are fetched at one time.
    private static let width = 4

    public init(_ supplies: [ImageID: SymbolSupply] = [:]) { self.supplies = supplies }

    /// Asks a provider for each image once, for a few of them at a time.
    public init(of images: some Sequence<ImageID>, from provider: any SymbolProvider) async {
        await self.init(of: images.lazy.map { ($0, []) }, from: provider)
    }

    /// The same for the offsets that are wanted of each image.
    init(for requests: [SymbolicationPlan.Request], from provider: any SymbolProvider) async {
        await self.init(of: requests.lazy.map { ($0.image, $0.offsets) }, from: provider)
    }

    private init(
        of images: some Sequence<(ImageID, [ImageOffset])>, from provider: any SymbolProvider
    ) async {
        var wanted: [ImageID: [ImageOffset]] = [:]
        for (image, offsets) in images {
            if let supply = provider.symbolsAtHand(for: image) {
                supplies[image] = supply
            } else {
                wanted[image] = offsets
            }
        }
        guard !wanted.isEmpty else { return }
        let fetched = await Self.supplies(of: wanted, from: provider)
        supplies.merge(fetched) { _, new in new }
    }

    private static func supplies(
        of images: [ImageID: [ImageOffset]], from provider: any SymbolProvider
    ) async -> [ImageID: SymbolSupply] {
        await withTaskGroup(of: (ImageID, SymbolSupply).self) { group in
            var supplies: [ImageID: SymbolSupply] = [:]
            for (position, (image, offsets)) in images.enumerated() {
                if position >= width, let (done, supply) = await group.next() {
                    supplies[done] = supply
                }
                group.addTask { (image, await provider.symbols(for: image, at: offsets)) }
            }
            for await (done, supply) in group { supplies[done] = supply }
            return supplies
        }
    }

    /// What there is for an image; missing also where it was not asked for.
    public internal(set) subscript(image: ImageID) -> SymbolSupply {
        get { supplies[image] ?? .missing }
        set { supplies[image] = newValue }
    }

    /// Whether an image has an index that could be opened, whole or not.
    func isOpened(_ image: ImageID) -> Bool {
        if case .found = self[image] { true } else { false }
    }

    /// The architecture that the symbols of an image were made for, where there are any. Payloads
    /// are read with it: it decides what their offsets mean.
    public func architecture(of image: ImageID) -> Architecture? {
        switch self[image] {
        case .found(let index): index.image.architecture
        case .answered(let image): image.architecture
        case .missing, .corrupt: nil
        }
    }
}
