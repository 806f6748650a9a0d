import CallStacks

// A function's own code is what its inlined calls leave over:
//
//     function   ├──────────────────────────────┤
//     inlined         ├────────┤    ├─────┤
//     own        ├────┤        ├────┤     ├─────┤
//
// So calls are flattened once, here, into boundaries that each name the innermost scope. Doing it at
// lookup would need the calls sorted by depth as well as by start, and a search that knows on which
// side of a sibling its parent lies.
//
// At each place the scope is found by going down from the function: of the intervals of the calls
// nested directly in the current scope that cover the place, the one with the greatest start
// counts, of several the one of the last call. That cuts every interval to the one it is nested in,
// whether or not the debug information did, and gives code that siblings claim both to the later.

/// From `start` on, `scope` is the innermost one.
struct ScopeBoundary: Equatable {
    var start: UInt64
    /// 0 is the function, 1 its first call that has code, and so on.
    var scope: UInt32
}

/// Turns the nested calls of one function after another into boundaries. Its arrays are used again.
struct InlineFlattening: Sendable {
    private struct Interval: Sendable {
        var start: UInt64
        var end: UInt64
        var scope: Int
        /// The interval of a sibling that was seen before this one, −1 if there is none.
        var below = -1
    }

    /// The calls that have code, in the order of the record: scope n is `calls[n - 1]`.
    private(set) var calls: [Int] = []
    /// For each scope the one that it is nested in.
    private(set) var parents: [Int] = []
    private(set) var boundaries: [ScopeBoundary] = []
    /// For each call the scope it became, or that of the nearest enclosing call that has code.
    private var scopes: [Int] = []
    private var depths: [Int] = []
    private var intervals: [Interval] = []
    /// For each scope the last interval seen of a call nested directly in it.
    private var tops: [Int] = []

    /// - Returns: Whether the calls nest within the limit; if not, there are no calls.
    mutating func flatten(_ function: borrowing FunctionRecord) -> Bool {
        boundaries.removeAll(keepingCapacity: true)
        let isWithinLimit = numberScopes(function)
        if !isWithinLimit { removeCalls() }
        collectIntervals(function)
        sweep()
        return isWithinLimit
    }

    private mutating func removeCalls() {
        calls.removeAll(keepingCapacity: true)
        parents.removeAll(keepingCapacity: true)
        parents.append(0)
        depths.removeAll(keepingCapacity: true)
        depths.append(0)
        scopes.removeAll(keepingCapacity: true)
    }

    /// Gives a scope to each call with code; the others stand for the scope around them.
    private mutating func numberScopes(_ function: borrowing FunctionRecord) -> Bool {
        removeCalls()
        scopes.append(contentsOf: repeatElement(0, count: function.calls.count))
        for interval in function.intervals
        where !interval.range.isEmpty && function.calls.indices.contains(interval.call) {
            scopes[interval.call] = 1
        }
        for index in function.calls.indices {
            // A parent that does not stand before its child would be a cycle: it is ignored.
            var parent = 0
            if let call = function.calls[index].parent, call >= 0, call < index {
                parent = scopes[call]
            }
            guard scopes[index] == 1 else {
                scopes[index] = parent
                continue
            }
            guard depths[parent] < IndexLimits.inlineDepth else { return false }
            scopes[index] = parents.count
            parents.append(parent)
            depths.append(depths[parent] + 1)
            calls.append(index)
        }
        return true
    }

    private mutating func collectIntervals(_ function: borrowing FunctionRecord) {
        intervals.removeAll(keepingCapacity: true)
        var isSorted = true
        for interval in function.intervals
        where !interval.range.isEmpty && scopes.indices.contains(interval.call) {
            let next = Interval(
                start: interval.range.lowerBound.rawValue, end: interval.range.upperBound.rawValue,
                scope: scopes[interval.call])
            if let last = intervals.last, Self.precedes(next, last) { isSorted = false }
            intervals.append(next)
        }
        if !isSorted { intervals.sort(by: Self.precedes) }
    }

    private static func precedes(_ left: Interval, _ right: Interval) -> Bool {
        left.start != right.start ? left.start < right.start : left.scope < right.scope
    }

    /// Stops at every start of an interval, and wherever the innermost one or one around it ends.
    private mutating func sweep() {
        tops.removeAll(keepingCapacity: true)
        tops.append(contentsOf: repeatElement(-1, count: parents.count))
        guard var place = intervals.first?.start else { return }
        var next = 0
        while true {
            while next < intervals.count, intervals[next].start <= place {
                let parent = parents[intervals[next].scope]
                intervals[next].below = tops[parent]
                tops[parent] = next
                next += 1
            }
            let (scope, end) = innermost(at: place)
            if scope != (boundaries.last?.scope ?? 0) {
                boundaries.append(ScopeBoundary(start: place, scope: UInt32(scope)))
            }
            let stop = next < intervals.count ? min(end, intervals[next].start) : end
            guard stop > place, stop < .max else { return }
            place = stop
        }
    }

    /// The innermost scope at `place`, and where that may change before another interval starts.
    private mutating func innermost(at place: UInt64) -> (scope: Int, end: UInt64) {
        var scope = 0
        var end = UInt64.max
        while true {
            while tops[scope] >= 0, intervals[tops[scope]].end <= place {
                tops[scope] = intervals[tops[scope]].below
            }
            guard tops[scope] >= 0 else { return (scope, end) }
            end = min(end, intervals[tops[scope]].end)
            scope = intervals[tops[scope]].scope
        }
    }
}
