import CSwiftDemangle
import Foundation
import Testing

@testable import Demangling

@Suite("names in a child process")
struct ChildDemanglingTests {
    private static let good = "$s4main3fooyyF"
    private static let aborting = "$sxRvz"

    private func texts(_ names: [String], _ budget: inout DemanglingBudget) -> [String?] {
        ChildDemangling.texts(of: names.map { Self.swift($0) }, budget: &budget).map { $0?.text }
    }

    private static func swift(_ name: String) -> CDemanglerInput {
        CDemanglerInput(
            mangled: name[...], demangler: unsafe CDemangler(symbolist_swift_simplified))
    }

    /// A demangler that hangs on a name with the letter `h` and sleeps on one with `s`.
    private static func slow(_ name: String) -> CDemanglerInput {
        let demangler = unsafe CDemangler { name, length in
            guard let name = unsafe name else { return nil }
            while unsafe name[0] == 0x68 {}
            if unsafe name[0] == 0x73 { sleep(60) }
            return unsafe strdup("slow")
        }
        return CDemanglerInput(mangled: name[...], demangler: demangler)
    }

    @Test("a child demangles all its names, in order")
    func order() {
        var budget = DemanglingBudget()
        let names = (0..<300).map { "$s4main\("f\($0)".utf8.count)f\($0)yyF" }
        #expect(texts(names, &budget) == (0..<300).map { "f\($0)()" })
        #expect(budget.children == DemanglingBudget.childrenLimit - 1)
        #expect(!budget.isSpent)
    }

    @Test("without names no child is started")
    func none() {
        var budget = DemanglingBudget()
        #expect(texts([], &budget) == [])
        #expect(budget.children == DemanglingBudget.childrenLimit)
    }

    @Test("an invalid name has a result and does not end the child")
    func refused() {
        var budget = DemanglingBudget()
        #expect(texts(["$s!", Self.good, "$s"], &budget) == [nil, "foo()", nil])
        #expect(budget.children == DemanglingBudget.childrenLimit - 1)
    }

    @Test("a name that ends the child stays mangled, and another child continues after it")
    func death() {
        var budget = DemanglingBudget()
        let names = [Self.good, Self.aborting, Self.good, Self.aborting, Self.aborting, Self.good]
        #expect(texts(names, &budget) == ["foo()", nil, "foo()", nil, nil, "foo()"])
        #expect(budget.children == DemanglingBudget.childrenLimit - 4)
        #expect(!budget.isSpent)
    }

    @Test("one death more than the limit of children leaves the rest mangled")
    func childrenLimit() {
        var budget = DemanglingBudget()
        budget.children = 2
        let names = [Self.aborting, Self.good]
        #expect(texts(names, &budget) == [nil, "foo()"])
        budget.children = 2
        #expect(!budget.isSpent)
        #expect(texts([Self.aborting] + names, &budget) == [nil, nil, nil])
        #expect(budget.isSpent)
    }

    @Test("one name more than the limit of a child is passed to the next child")
    func namesPerChild() {
        var budget = DemanglingBudget()
        let limit = ChildDemangling.namesPerChildLimit
        let names = Array(repeating: Self.good, count: limit)
        #expect(texts(names, &budget).allSatisfy { $0 == "foo()" })
        #expect(budget.children == DemanglingBudget.childrenLimit - 1)
        #expect(texts(names + [Self.good], &budget).allSatisfy { $0 == "foo()" })
        #expect(budget.children == DemanglingBudget.childrenLimit - 3)
    }

    @Test("a name that takes too long stays mangled and is charged its time")
    func nameTime() {
        var budget = DemanglingBudget()
        let names = ["a", "h", "b"].map(Self.slow)
        let texts = ChildDemangling.texts(of: names, budget: &budget).map { $0?.text }
        #expect(texts == ["slow", nil, "slow"])
        let used =
            DemanglingBudget.childProcessorMillisecondsLimit
            - Int(budget.childProcessorMilliseconds)
        #expect(used >= ChildDemangling.nameMillisecondsLimit / 2)
    }

    @Test("names that use up the CPU time leave the rest mangled")
    func processorTime() {
        var budget = DemanglingBudget()
        budget.childProcessorMilliseconds = 50
        // The system may stop a child slightly early, so one name need not take all of it.
        let names = [String](repeating: "h", count: 30) + ["a"]
        let texts = ChildDemangling.texts(of: names.map(Self.slow), budget: &budget)
        #expect(texts.allSatisfy { $0 == nil })
        #expect(budget.isSpent)
    }

    @Test("a child that sleeps is stopped")
    func wallTime() {
        var budget = DemanglingBudget()
        budget.childWallMilliseconds = 3_000
        let texts = ChildDemangling.texts(of: ["a", "s", "b"].map(Self.slow), budget: &budget)
        #expect(texts.map { $0?.text } == ["slow", nil, nil])
        #expect(budget.isSpent)
        #expect(budget.childWallMilliseconds <= 0)
    }

    @Test("a text at the limit is complete, and one byte more is truncated")
    func textLimit() {
        let limit = Demangler.textBytesLimit
        let demangler = unsafe CDemangler { name, length in
            unsafe strdup(String(repeating: "x", count: length))
        }
        var budget = DemanglingBudget()
        let names = [limit, limit + 1, limit + 2].map {
            CDemanglerInput(mangled: String(repeating: "y", count: $0)[...], demangler: demangler)
        }
        let texts = ChildDemangling.texts(of: names, budget: &budget)
        #expect(texts.map { $0?.text.utf8.count } == [limit, limit, limit])
        #expect(texts.map { $0?.isTruncated } == [false, true, true])
    }

    @Test("children of several threads do not interfere")
    func threads() async {
        await withTaskGroup(of: [String?].self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var budget = DemanglingBudget()
                    return texts([Self.good, "$s4main3fooyyFRv_", Self.good], &budget)
                }
            }
            for await texts in group { #expect(texts == ["foo()", nil, "foo()"]) }
        }
    }
}
