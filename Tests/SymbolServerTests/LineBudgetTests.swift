import Testing

@testable import SymbolServer

@Suite("How many lines an audit log writes")
struct LineBudgetTests {
    @Test("the first are written, the others counted until the window ends")
    func window() {
        var budget = LineBudget(lines: 2, per: .seconds(10))
        let first = ["a", "b"].map { budget.admits($0, at: .zero) }
        #expect(first == [true, true])
        let others = ["a", "a", "b", "a"].map { budget.admits($0, at: .seconds(9)) }
        #expect(others == [false, false, false, false])
        let early = budget.takeSums(at: .seconds(9))
        #expect(early.isEmpty)
        let sums = budget.takeSums(at: .seconds(10))
        #expect(sums.map(\.subject) == ["a", "b"])
        #expect(sums.map(\.count) == [3, 1])
        let again = budget.takeSums(at: .seconds(20))
        #expect(again.isEmpty)
        let next = budget.admits("a", at: .seconds(20))
        #expect(next)
    }

    @Test("however many subjects there are, the lines are bounded")
    func subjects() {
        var budget = LineBudget(lines: 0, per: .seconds(10))
        let admitted = (0..<1_000).map { budget.admits("\($0)", at: .zero) }
        #expect(!admitted.contains(true))
        let sums = budget.takeSums(at: .seconds(10))
        #expect(sums.count == LineBudget.subjectLimit + 1)
        #expect(sums.map(\.count).reduce(0, +) == 1_000)
        #expect(sums.contains { $0.subject == LineBudget.otherSubjects })
    }
}
