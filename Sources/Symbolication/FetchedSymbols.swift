public import CallStacks
import SymbolIndexes

/// The fetched symbols of several images.
public struct FetchedSymbols: Sendable {
    private var supplies: [ImageID: SymbolSupply] = [:]

    /// The number of images fetched concurrently.
    private static let width = 4

    public init(_ supplies: [ImageID: SymbolSupply] = [:]) { self.supplies = supplies }

    /// Queries a provider once per image, for a few images at a time.
    public init(of images: [ImageID], from provider: any SymbolProvider) async {
        await self.init(of: images.map { ($0, [][...]) }, from: provider)
    }

    /// Queries a provider for the requested offsets of each image.
    init(for requests: [SymbolicationPlan.Request], from provider: any SymbolProvider) async {
        await self.init(of: requests.map { ($0.image, $0.offsets) }, from: provider)
    }

    private init(
        of images: [(ImageID, ArraySlice<ImageOffset>)], from provider: any SymbolProvider
    ) async {
        supplies.reserveCapacity(images.count)
        var wanted: [ImageID: [ImageOffset]] = [:]
        for (image, offsets) in images {
            if let supply = provider.cachedSymbols(for: image) {
                supplies[image] = supply
            } else {
                wanted[image] = Array(offsets)
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

    /// The symbols of an image; missing if it was not fetched.
    public internal(set) subscript(image: ImageID) -> SymbolSupply {
        get { supplies[image] ?? .missing }
        set { supplies[image] = newValue }
    }

    /// Whether the index of an image was opened, damaged or not.
    func isOpened(_ image: ImageID) -> Bool {
        switch self[image] {
        case .found, .excerpt: true
        case .remote, .missing, .corrupt: false
        }
    }

    /// Returns the architecture of an image's symbols, or `nil` if it has none. Payloads are read
    /// with it, because it determines the meaning of their offsets.
    public func architecture(of image: ImageID) -> Architecture? {
        switch self[image] {
        case .found(let index), .excerpt(let index): index.image.architecture
        case .remote(let image): image.architecture
        case .missing, .corrupt: nil
        }
    }

    /// Returns the placement of an image's code, or `nil` if its index was not opened. It has no
    /// segments if the debug file lacks the code.
    public func placement(of image: ImageID) -> ImagePlacement? {
        switch self[image] {
        case .found(let index), .excerpt(let index):
            ImagePlacement(base: index.image.base, segments: index.image.segments)
        case .remote, .missing, .corrupt: nil
        }
    }
}
