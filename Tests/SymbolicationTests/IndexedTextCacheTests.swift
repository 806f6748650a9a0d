import ByteReading
import CallStacks
import Demangling
import SymbolIndexes
import Testing

@testable import Symbolication

@Suite("Cached texts of indexes")
struct IndexedTextCacheTests {
    private struct Texts: Equatable {
        var names: [String?]
        var files: [SourceFile?]
    }

    private func index(_ names: [String]) throws -> SymbolIndex {
        let functions = names.enumerated().map { position, name in
            let start = UInt64(position) * 16
            return KnownSymbols.Function(
                range: start..<start + 16, frames: [.at("inlined"), .at(name)])
        }
        return try SymbolIndex(FileBytes(try KnownSymbols(functions: functions).bytes()))
    }

    /// The texts at the first two functions.
    private func texts(of index: SymbolIndex, _ cache: IndexedTextCache?) throws -> Texts {
        var texts = LookupTables(indexed: cache)
        var lookup = IndexLookup(in: index)
        var budget = LookupBudget()
        var functions: [ResolvedFunction] = []
        for offset in [0, 16, 4] {
            let result = try lookup.result(
                at: ImageOffset(UInt64(offset)), texts: &texts, budget: &budget)
            if case .functions(let found, _) = result { functions += found }
        }
        var demangling = DemanglingBudget()
        texts.names.demangle(by: Demangler(), budget: &demangling)
        return Texts(
            names: functions.map { $0.name.map { texts.names.demangled[$0].shown } },
            files: functions.map { $0.file.map { texts.files.all[$0] } })
    }

    @Test("are those of the index, in every diagnostic")
    func equal() throws {
        let index = try index(["_Z5ripenv", "$s4oops"])
        let cache = IndexedTextCache()
        let expected = try texts(of: index, nil)
        #expect(
            expected.names == ["inlined", "ripen()", "inlined", "oops", "inlined", "ripen()"])
        #expect(expected.files.allSatisfy { $0 != nil })
        for _ in 0..<3 { #expect(try texts(of: index, cache) == expected) }
    }

    @Test("are not those of another index with the same numbers")
    func distinct() throws {
        let cache = IndexedTextCache()
        for name in ["_Z5ripenv", "_Z4peelv"] {
            let index = try index([name, "other"])
            #expect(try texts(of: index, cache) == texts(of: index, nil))
        }
    }

    @Test("are read again when they were evicted")
    func bounded() throws {
        let cache = IndexedTextCache(bytesLimit: 600)
        let index = try index((0..<40).map { "name\($0)" })
        let expected = try texts(of: index, nil)
        for _ in 0..<3 { #expect(try texts(of: index, cache) == expected) }
    }
}
