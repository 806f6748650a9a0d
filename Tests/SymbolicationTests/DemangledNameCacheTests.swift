import CallStacks
import Demangling
import Testing

@testable import Symbolication

@Suite("Cached demangled names")
struct DemangledNameCacheTests {
    private func name(_ linkageName: String, _ shown: String) -> FunctionName {
        FunctionName(linkageName: linkageName, shown: shown, isCompilerGenerated: false)
    }

    @Test("are returned unchanged")
    func remembered() {
        let known = DemangledNameCache()
        let ripen = name("_Z5ripenv", "ripen()")
        known.add([ripen])
        #expect(known.names(of: ["_Z4peelv", "_Z5ripenv"]) == [nil, ripen])
    }

    @Test("are not kept if they still look mangled")
    func mangled() {
        let known = DemangledNameCache()
        known.add([name("$s4oops", "$s4oops"), name("_Z4oops", "_Z4oops")])
        #expect(known.names(of: ["$s4oops", "_Z4oops"]) == [nil, nil])
    }

    @Test("stay within their bound, and those in use are kept longest")
    func bounded() {
        let known = DemangledNameCache(bytesLimit: 4_000)
        let wanted = name("_Z6wantedv", "wanted()")
        known.add([wanted])
        for number in 0..<1_000 {
            known.add([name("_Z\(number)v", "apple \(number)")])
            #expect(known.names(of: ["_Z6wantedv"]) == [wanted])
        }
        let kept = known.names(of: (0..<1_000).map { "_Z\($0)v" }).compactMap(\.self)
        #expect(kept.count < 40)
        #expect(kept.last == name("_Z999v", "apple 999"))
    }

    @Test("are demangled once and charged to the budget once")
    func once() {
        let known = DemangledNameCache()
        for _ in 0..<2 {
            var names = LinkageNames(known: known)
            _ = names.number(of: "_Z5ripenv")
            _ = names.number(of: "plain")
            var budget = DemanglingBudget()
            names.demangle(by: Demangler(), budget: &budget)
            #expect(names.demangled.map(\.shown) == ["ripen()", "plain"])
            #expect(names.demangled.map(\.linkageName) == ["_Z5ripenv", "plain"])
        }
    }
}
