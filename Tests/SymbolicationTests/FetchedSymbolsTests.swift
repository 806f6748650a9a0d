import CallStacks
import Symbolication
import Synchronization
import Testing

@Suite("Fetched symbols")
struct FetchedSymbolsTests {
    /// A provider that has one image cached and counts queries for others.
    private final class Provider: SymbolProvider {
        let supply: SymbolSupply
        private let waits = Mutex<[ImageID]>([])

        init(_ supply: SymbolSupply) { self.supply = supply }

        var waited: [ImageID] { waits.withLock { $0 } }

        func cachedSymbols(for image: ImageID) -> SymbolSupply? { image == .shop ? supply : nil }

        func symbols(for image: ImageID) async -> SymbolSupply {
            waits.withLock { $0.append(image) }
            return .corrupt
        }
    }

    @Test("cached symbols are used without waiting, and the others are fetched once")
    func atHand() async throws {
        let provider = Provider(try KnownSymbols(symbols: [("f", 0..<16)]).supply())
        let other = try #require(ImageID(bytes: [1, 2, 3]))
        let symbols = await FetchedSymbols(of: [.shop, other, .shop, other], from: provider)
        #expect(symbols.architecture(of: .shop) == .arm64)
        guard case .corrupt = symbols[other] else {
            Issue.record("not the provider's symbols")
            return
        }
        #expect(provider.waited == [other])
    }
}
