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
        "unknown operators, and packs outside a signature, are left to the child",
        arguments: [
            "$sxRvz", "$sxRvzRz", "$sxRzRvzl", "$sxxs8SendableRzRvzlTR", "$s1aJJ",
            "$s4main3fooyyFTf4nC_n", "$s4main3fooyyFTf4_n", "$s4main3fooyyFTf4n", "$sSi_SitXX",
            "$s4main3fooyyF007namePunTf1cn_n",
        ])
    func uncertain(name: String) {
        #expect(bound(name).isUncertain)
        #expect(SwiftRuntimeDemangler.needsChild(name[...]))
    }

    @Test(
        "rarer operators are known",
        arguments: [
            "$s4main1fyyxRvzlF", "$s4main1fyyx_q_tRvzRv_r0_lF", "$s4main3fooyyFTf4nen_nAA3BarC_Tg5",
            "$s4main3fooyyFTf4dGXeDGOXgXoXxisr_nTg5", "$s4main3fooyyFTf4npi12_nTf4gX_gXTA",
            "$s4main5CacheC31$__lazy_storage_$_prefixMappingSSvg", "$s4main1xSbvpfF",
        ])
    func rare(name: String) {
        #expect(!SwiftRuntimeDemangler.needsChild(name[...]))
    }

    @Test("packs one past the limit are left to the child")
    func packs() {
        func name(_ count: Int) -> String {
            "$s4main1fyyx" + String(repeating: "Rvz", count: count) + "lF"
        }
        let limit = SwiftNameReader.packMarkersLimit
        #expect(!bound(name(limit)).isUncertain)
        #expect(bound(name(limit + 1)).isUncertain)
    }

    /// Names demangled in this process must not end it; a child verifies that.
    @Test("a damaged name that seems safe never ends its demangler", arguments: UInt64(0)..<20)
    func survives(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let names = Self.rareNames.map { Array($0.utf8) }
        var safe: [CDemanglerInput] = []
        for _ in 0..<1_000 {
            var bytes = names.randomElement(using: &numbers) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                MutationTests.mutate(&bytes, others: names, using: &numbers)
            }
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.hasPrefix("$s"), !name.utf8.contains(0),
                !SwiftRuntimeDemangler.needsChild(name[...])
            else { continue }
            let demangler = unsafe CDemangler(fullSwiftText)
            safe.append(CDemanglerInput(mangled: name[...], demangler: demangler))
        }
        var budget = DemanglingBudget()
        _ = ChildDemangling.texts(of: safe, budget: &budget)
        #expect(!safe.isEmpty)
        #expect(budget.children == DemanglingBudget.childrenLimit - 1)
    }

    private static let rareNames =
        MutationTests.names.filter { $0.hasPrefix("$s") } + [
            "$s4main1fyyx_q_tRvzRv_r0_lF", "$sxxRvzlTR", "$sxRvzluD", "$s1aRvzlTR",
            "$s4main3fooyyFTf4dGXeDGOXgXoXxisr_nTg5", "$s4main3fooyyFTf4npi12_nTf4gX_gXTA",
            "$s7Testing8TypeInfoV4typeypRi_s_Ri0_sXPXpSgvg", "$s4main1PQp_QPGvgZ",
            "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzs5NeverORs_r0_lTR", "$s4main1xSbvpfF",
        ]

    @Test("a name inside a name is bounded as well")
    func nested() {
        let inner = HostileNamesTests.doublingSwift(steps: 18)
        let name = "$s4main3fooyyF0\(inner.utf8.count)\(inner)Tf1c_n"
        #expect(bound(name).bytes > 1 << 20)
    }

    /// The guarantee itself, on damaged names with short texts.
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
            let text = unsafe runtimeText(fullSwiftText, name) ?? ""
            #expect(text.utf8.count <= bound(name).bytes, "\(name)")
        }
    }
}
