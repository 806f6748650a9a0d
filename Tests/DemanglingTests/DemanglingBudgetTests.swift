import Synchronization
import Testing

@testable import Demangling

@Suite("budget of many names")
struct DemanglingBudgetTests {
    private static let name = "$s4main3fooyyF"

    @Test("names of all kinds have the same texts together and alone")
    func together() {
        let names = MutationTests.names + HostileNamesTests.someHostile + ["main", ""]
        var budget = DemanglingBudget()
        let together = Demangler().demangle(names, budget: &budget)
        #expect(together == names.map { Demangler().demangle($0) })
        #expect(!budget.isSpent)
        #expect(budget.children < DemanglingBudget.childrenLimit)
    }

    @Test("a name that needs a child keeps its suffix and its kind")
    func suffix() {
        var budget = DemanglingBudget()
        let name = HostileNamesTests.doublingSwift(steps: 2) + "RvzlFTA.cold.1"
        let shown = Demangler().demangle([name, "$s4main3fooyyF.cold.1"], budget: &budget)
        #expect(shown.map(\.kind) == [.coldPart, .coldPart])
        #expect(shown.map(\.scheme) == [.swift, .swift])
    }

    /// Each reading of the clock is a nanosecond later. It is read before the first name and after
    /// each 16.
    @Test("names after the time limit stay mangled", arguments: [1, 2, 3])
    func time(nanoseconds: Int64) {
        let clock = Ticks()
        var budget = DemanglingBudget(clock: { clock.next() })
        budget.nanoseconds = nanoseconds
        let names = Array(repeating: Self.name, count: 16 * Int(nanoseconds) + 1)
        let shown = Demangler().demangle(names, budget: &budget).map(\.text)
        #expect(shown.dropLast() == Array(repeating: "foo()", count: names.count - 1)[...])
        #expect(shown.last == Self.name)
        #expect(budget.isSpent)
    }

    @Test("names that are not mangled are not charged, unless they are long")
    func plain() {
        let clock = Ticks()
        var budget = DemanglingBudget(clock: { clock.next() })
        let names = ["main", "+[Cart new]", "__x_block_invoke", String(repeating: "f", count: 256)]
        #expect(Demangler().demangle(names, budget: &budget).map(\.text) == names)
        #expect(clock.next() == 1)
        _ = Demangler().demangle([String(repeating: "f", count: 257)], budget: &budget)
        #expect(clock.next() > 2)
    }

    @Test("the clock is read before every long name")
    func longNames() {
        let clock = Ticks()
        var budget = DemanglingBudget(clock: { clock.next() })
        budget.nanoseconds = 2
        let long = "_ZN" + String(repeating: "1a", count: 200) + "E"
        let shown = Demangler().demangle([long, long, long], budget: &budget).map(\.text)
        #expect(shown.map { $0 == long } == [false, false, true])
        #expect(budget.isSpent)
    }

    @Test("text one byte past the limit is left mangled")
    func text() {
        var budget = DemanglingBudget()
        budget.textBytes = 10
        #expect(
            Demangler().demangle([Self.name, Self.name], budget: &budget).map(\.text)
                == ["foo()", "foo()"])
        #expect(!budget.isSpent)
        budget.textBytes = 9
        #expect(
            Demangler().demangle([Self.name, Self.name], budget: &budget).map(\.text) == [
                "foo()", Self.name,
            ])
        #expect(budget.isSpent)
    }

    @Test("names that need a child stay mangled if none is left")
    func noChild() {
        let name = HostileNamesTests.doublingSwift(steps: 12)
        var budget = DemanglingBudget()
        budget.children = 0
        let shown = Demangler().demangle([Self.name, name], budget: &budget)
        #expect(shown.map(\.text) == ["foo()", name])
        #expect(budget.isSpent)
    }
}

/// A clock that advances by a nanosecond at each reading.
private final class Ticks: Sendable {
    private let count = Mutex<Int64>(0)

    func next() -> Int64 {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
