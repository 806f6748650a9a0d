import CSwiftDemangle
import Testing

@testable import Demangling

@Suite("bound of Swift names")
struct SwiftExpansionBoundTests {
    private func bound(_ name: String) -> SwiftExpansionBound {
        SwiftExpansionBound(of: name[...], limit: 1 << 30)
    }

    @Test(
        "ordinary names are bounded closely",
        arguments: [
            "$s4main3fooyyF", "$s10Foundation10SocketPortC9SignatureVSgWOe",
            "$s4main1SVAA1PA2aDP3fooyyFTW", "$sSSIeghg_BASSIeghHgILg_TR",
            "$s6XCTest0A11ExpectationC20assertForOverFulfillSbvgSbyXEfU_TA",
            "$sSTsE6sorted2bySay7ElementQzGSbAD_ADtKXE_tKFSay6XCTest0D11ExpectationCG_Tg5",
        ])
    func ordinary(name: String) {
        #expect(bound(name).bytes < 40_000)
        #expect(!bound(name).isUncertain)
        #expect(!SwiftRuntimeDemangler.needsChild(name[...]))
    }

    @Test("each step of doubling doubles the bound", arguments: 1...20)
    func doubling(steps: Int) {
        let one = bound(HostileNamesTests.doublingSwift(steps: steps)).bytes
        let next = bound(HostileNamesTests.doublingSwift(steps: steps + 1)).bytes
        #expect(next >= 2 * one || next > 1 << 30)
    }

    @Test("repeats count", arguments: ["$s4main3fooyA2048AD", "$sS2048i_tD"])
    func repeats(name: String) {
        #expect(bound(name).bytes > 20_000)
    }

    @Test(
        "unknown operators and packs are left to the child",
        arguments: [
            "$sxRvz", "$s4main1fyyxRvzlF", "$s1aJJ", "$s4main3fooyyFTf4nC_n", "$sSi_SitXX",
        ])
    func uncertain(name: String) {
        #expect(bound(name).isUncertain)
        #expect(SwiftRuntimeDemangler.needsChild(name[...]))
    }

    @Test("a name inside a name is bounded as well")
    func nested() {
        let inner = HostileNamesTests.doublingSwift(steps: 18)
        let name = "$s4main3fooyyF0\(inner.utf8.count)\(inner)Tf1c_n"
        #expect(bound(name).bytes > 1 << 20)
    }

    /// The guarantee itself, on damaged names whose text is short enough to look at.
    @Test("no text is longer than its bound", arguments: UInt64(0)..<40)
    func holds(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let names = MutationTests.names.filter { $0.hasPrefix("$s") }.map { Array($0.utf8) }
        for _ in 0..<500 {
            var bytes = names.randomElement(using: &numbers) ?? []
            MutationTests.mutate(&bytes, others: names, using: &numbers)
            MutationTests.mutate(&bytes, others: names, using: &numbers)
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.hasPrefix("$s"), !SwiftRuntimeDemangler.needsChild(name[...]) else {
                continue
            }
            let text = unsafe runtimeText(symbolist_swift_full, name) ?? ""
            #expect(text.utf8.count <= bound(name).bytes, "\(name)")
        }
    }
}
