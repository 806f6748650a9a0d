import CallStacks
import Demangling
import Symbolication
import Testing

@Suite("Names beyond the limit")
struct NameLimitTests {
    /// Functions of 16 bytes each, one after the other.
    private func answer(_ names: [String]) async throws -> SymbolicatedDiagnostic {
        let symbols = KnownSymbols(
            functions: names.enumerated().map { index, name in
                let start = UInt64(index) * 16
                return .init(range: start..<start + 16, frames: [.at(name)])
            })
        let frames = names.indices.map { CallFrame.at(UInt64($0) * 16) }
        return try await Symbolicator.answer(
            Diagnostic(kind: .crash, tree: .thread(frames)), with: [.shop: symbols])
    }

    /// Each of them ends the process that demangles it.
    private func aborting(_ count: Int) -> [String] {
        (0..<count).map { "$s4main\("f\($0)".utf8.count)f\($0)xRvz" }
    }

    @Test("a name that ends its demangler stays mangled, alone")
    func death() async throws {
        let answer = try await answer(aborting(1) + ["$s4main3fooyyF", "$s4main1fyyxRvzlF"])
        #expect(answer.frames.map(\.function) == ["$s4main2f0xRvz", "foo()", "f<each A>(_:)"])
        #expect(answer.frames.map(\.mangled).last == "$s4main1fyyxRvzlF")
        #expect(answer.remarks == [])
    }

    @Test("names left over stay mangled, the answer says so, and no frame is lost")
    func limit() async throws {
        let names = aborting(DemanglingBudget.childrenLimit + 1) + ["$s4main3fooyyF"]
        let answer = try await answer(names)
        #expect(answer.frames.map(\.function) == names.dropLast() + ["foo()"])
        #expect(answer.frames.map(\.mangled) == names)
        #expect(answer.remarks == [.nameLimit])
        #expect(answer.status == .symbolicated)
    }

    @Test("a session of lookups shares the limit, and answers all the same")
    func session() async throws {
        let names = aborting(DemanglingBudget.childrenLimit + 1) + ["$s4main3fooyyF"]
        let symbols = KnownSymbols(
            functions: names.enumerated().map { index, name in
                let start = UInt64(index) * 16
                return .init(range: start..<start + 16, frames: [.at(name)])
            })
        var lookup = ExactLookup(
            provider: KnownProvider(supplies: [.shop: try symbols.supply()]))
        var shown: [String?] = []
        for index in names.indices {
            let answer = await lookup.answer(.shop, at: ImageOffset(UInt64(index) * 16))
            shown += lookup.frames(of: answer).map(\.function)
        }
        #expect(shown == names.dropLast() + ["foo()"])
    }
}
