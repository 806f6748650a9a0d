import TestSupport
import Testing

@testable import SymbolIndexes

@Suite struct IntervalSorterTests {
    @Test("intervals are sorted as the standard library sorts them", arguments: UInt64(0)..<300)
    func anyIntervals(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let count = Int.random(in: 0...200, using: &numbers)
        let spread = UInt64(1) << UInt64.random(in: 0...63, using: &numbers)
        let scopes = UInt32(1) << UInt32.random(in: 0...31, using: &numbers)
        var intervals = (0..<count).map { index in
            ScopeInterval(
                start: UInt64.random(in: 0..<spread, using: &numbers), end: UInt64(index),
                scope: UInt32.random(in: 0..<scopes, using: &numbers))
        }
        if seed % 3 == 0 { intervals.sort { $0.scope < $1.scope } }
        expectSorted(intervals)
    }

    @Test("as many intervals as are sorted by insertion, and one more, in the worst order")
    func descending() {
        for count in [IntervalSorter.insertionLimit, IntervalSorter.insertionLimit + 1] {
            expectSorted(
                (0..<count).map { index in
                    ScopeInterval(start: .max - UInt64(index), end: 0, scope: UInt32(index))
                })
        }
    }

    private func expectSorted(_ intervals: [ScopeInterval]) {
        var sorting = IntervalSorter()
        var sorted = intervals
        sorting.sort(&sorted, count: sorted.count)
        let expected = intervals.sorted { $0.precedes($1) }
        #expect(sorted.prefix(intervals.count).elementsEqual(expected))
    }
}
