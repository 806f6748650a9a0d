import CallStacks
import Demangling
import Symbolication
import Testing

@Suite("Names beyond the limit")
struct NameLimitTests {
    /// Functions of 16 bytes each, one after the other.
    private func symbolicated(_ names: [String]) async throws -> SymbolicatedDiagnostic {
        let symbols = KnownSymbols(
            functions: names.enumerated().map { index, name in
                let start = UInt64(index) * 16
                return .init(range: start..<start + 16, frames: [.at(name)])
            })
        let frames = names.indices.map { CallFrame.at(UInt64($0) * 16) }
        return try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: .thread(frames)), with: [.shop: symbols])
    }

    /// Returns names that each end the process that demangles them.
    private func aborting(_ count: Int) -> [String] {
        (0..<count).map { "$s4main\("f\($0)".utf8.count)f\($0)xRvz" }
    }

    @Test("a name that ends its demangler stays mangled, alone")
    func death() async throws {
        let result = try await symbolicated(aborting(1) + ["$s4main3fooyyF", "$s4main1fyyxRvzlF"])
        #expect(result.frames.map(\.function) == ["$s4main2f0xRvz", "foo()", "f<each A>(_:)"])
        #expect(result.frames.map(\.mangled).last == "$s4main1fyyxRvzlF")
        #expect(result.remarks == [])
    }

    @Test("names past the limit stay mangled with a remark, and no frame is lost")
    func limit() async throws {
        let names = aborting(DemanglingBudget.childrenLimit + 1) + ["$s4main3fooyyF"]
        let result = try await symbolicated(names)
        #expect(result.frames.map(\.function) == names.dropLast() + ["foo()"])
        #expect(result.frames.map(\.mangled) == names)
        #expect(result.remarks == [.nameLimit])
        #expect(result.status == .symbolicated)
    }

    @Test("a session of lookups shares the limit, and every lookup has a result")
    func session() async throws {
        let names = aborting(DemanglingBudget.childrenLimit + 1) + ["$s4main3fooyyF"]
        let symbols = KnownSymbols(
            functions: names.enumerated().map { index, name in
                let start = UInt64(index) * 16
                return .init(range: start..<start + 16, frames: [.at(name)])
            })
        var lookup = OffsetLookup(
            provider: KnownProvider(supplies: [.shop: try symbols.supply()]))
        var shown: [String?] = []
        for index in names.indices {
            let result = await lookup.result(for: .shop, at: ImageOffset(UInt64(index) * 16))
            shown += lookup.frames(of: result).map(\.function)
        }
        #expect(shown == names.dropLast() + ["foo()"])
    }
}
