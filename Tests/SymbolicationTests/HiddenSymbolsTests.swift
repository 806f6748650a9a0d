import CallStacks
import Testing

@testable import Symbolication

@Suite("Symbols that lookups ignore")
struct HiddenSymbolsTests {
    private let symbolicator = Symbolicator(
        provider: KnownProvider(
            supplies: [.shop: .corrupt, .pay: .corrupt],
            replacements: [.shop: .corrupt, .pay: .corrupt]),
        inApp: { InAppRules(images: [.shop, .pay]) })

    private func isMissing(_ image: ImageID, _ symbolicator: Symbolicator) async -> [Bool] {
        let provider = symbolicator.provider
        let supplies = [
            await provider.symbols(for: image), await provider.symbols(for: image, at: []),
            await provider.symbols(replacingDamagedIndexOf: image),
        ]
        return supplies.map(isMissing)
    }

    private func isMissing(_ supply: SymbolSupply) -> Bool {
        if case .missing = supply { true } else { false }
    }

    @Test("ignored images have no symbols, others keep theirs")
    func images() async {
        let reduced = symbolicator.without(HiddenSymbols(images: [.shop]))
        #expect(await isMissing(.shop, reduced) == [true, true, true])
        #expect(await isMissing(.pay, reduced) == [false, false, false])
        #expect(await isMissing(.shop, symbolicator) == [false, false, false])
        let cached = reduced.provider.cachedSymbols(for: .shop)
        #expect(cached.map(isMissing) == true, "the cache is not asked")
    }

    @Test("symbols can be taken as unreadable")
    func unreadable() async {
        let reduced = Symbolicator(provider: KnownProvider())
            .without(HiddenSymbols(images: [.shop], unreadable: [.shop]))
        let supply = await reduced.provider.symbols(for: .shop)
        let isCorrupt = if case .corrupt = supply { true } else { false }
        #expect(isCorrupt)
    }

    @Test("images that builds list are the app's, unless that is ignored")
    func appImages() {
        let reduced = symbolicator.without(HiddenSymbols(appImages: [.pay]))
        #expect(reduced.inApp().images == [.shop])
        #expect(symbolicator.without(HiddenSymbols()).inApp().images == [.shop, .pay])
    }
}
