import CallStacks
import Demangling
import Testing

@testable import Symbolication

@Suite("Names that are known from other diagnostics")
struct KnownNamesTests {
    private func name(_ linkageName: String, _ shown: String) -> FunctionName {
        FunctionName(linkageName: linkageName, shown: shown, isCompilerGenerated: false)
    }

    @Test("are what they were")
    func remembered() {
        let known = KnownNames()
        let ripen = name("_Z5ripenv", "ripen()")
        known.add([ripen])
        #expect(known.names(of: ["_Z4peelv", "_Z5ripenv"]) == [nil, ripen])
    }

    @Test("that still look mangled are asked for again")
    func mangled() {
        let known = KnownNames()
        known.add([name("$s4oops", "$s4oops"), name("_Z4oops", "_Z4oops")])
        #expect(known.names(of: ["$s4oops", "_Z4oops"]) == [nil, nil])
    }

    @Test("stay within their bound, and those that are asked for stay longest")
    func bounded() {
        let known = KnownNames(bytesLimit: 4_000)
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

    @Test("are demangled once, and counted against the budget once")
    func once() {
        let known = KnownNames()
        for _ in 0..<2 {
            var names = LinkageNames(known: known)
            _ = names.number(of: "_Z5ripenv")
            _ = names.number(of: "plain")
            var budget = DemanglingBudget()
            names.demangle(by: Demangler(), &budget)
            #expect(names.demangled.map(\.shown) == ["ripen()", "plain"])
            #expect(names.demangled.map(\.linkageName) == ["_Z5ripenv", "plain"])
        }
    }
}
