import CallStacks

// A function's own code is the part without inlined calls:
//
//     function   ├──────────────────────────────┤
//     inlined         ├────────┤    ├─────┤
//     own        ├────┤        ├────┤     ├─────┤
//
// So calls are flattened once, here, into boundaries that each have the innermost scope. Flattening
// in lookups would need calls sorted both by depth and by start, and a search that distinguishes
// the code before and after a nested call.
//
// At each position, the scope is found by descending from the function: of the intervals of calls
// nested directly in the current scope that cover the position, the one with the greatest start is
// chosen, and of several the one of the last call. This clips every interval to its parent, whether
// or not the debug information did, and assigns code that two siblings claim to the later one.

/// The start of a range of code, and the innermost scope from there on.
struct ScopeBoundary: Equatable, Sendable {
    var start: UInt64
    /// The scope: 0 is the function, 1 its first call with code, and so on.
    var scope: UInt32
}

/// Flattens the nested calls of functions into boundaries.
///
/// Its arrays are reused and only grow, so the numbers of valid elements are stored separately.
struct InlineFlattener: Sendable {
    /// The number of scopes: the function, and each call with code.
    private(set) var scopeCount = 1
    /// The index of each scope's call in the record. The function has none.
    private(set) var calls: [Int] = []
    /// The parent of each scope.
    private(set) var parents: [UInt32] = []
    private(set) var boundaryCount = 0
    private(set) var boundaries: [ScopeBoundary] = []
    private var depths: [UInt32] = []
    /// The scope of each call, or of the nearest enclosing call with code.
    private var scopes: [UInt32] = []
    private var intervals: [ScopeInterval] = []
    private var sorting = IntervalSorter()
    /// For each scope, the last interval seen of a call nested directly in it, plus 1, or 0.
    private var tops: [UInt32] = []

    /// - Returns: Whether the calls nest within the limit. If not, the function has no calls.
    mutating func flatten(_ function: FunctionRecord) -> Bool {
        boundaryCount = 0
        scopeCount = 1
        makeRoom(for: function)
        guard !function.intervals.isEmpty else { return true }
        guard
            let scopeCount = Self.numberScopes(
                function, scopes: &scopes, calls: &calls, parents: &parents, depths: &depths)
        else { return false }
        self.scopeCount = scopeCount
        let count = Self.collectIntervals(function, scopes: scopes, intervals: &intervals)
        sorting.sort(&intervals, count: count)
        tops.fill(with: 0, count: scopeCount)
        boundaryCount = Self.sweep(
            &intervals, count: count, boundaries: &boundaries, parents: parents, tops: &tops)
        return true
    }

    private mutating func makeRoom(for function: FunctionRecord) {
        let callCount = function.calls.count
        scopes.reach(callCount, filler: 0)
        calls.reach(callCount + 1, filler: 0)
        parents.reach(callCount + 1, filler: 0)
        depths.reach(callCount + 1, filler: 0)
        tops.reach(callCount + 1, filler: 0)
        intervals.reach(function.intervals.count, filler: ScopeInterval())
        boundaries.reach(
            2 * function.intervals.count, filler: ScopeBoundary(start: 0, scope: 0))
    }

    /// Assigns a scope to each call with code. The others get the enclosing scope.
    ///
    /// - Returns: The number of scopes, or `nil` if they nest too deep.
    private static func numberScopes(
        _ function: FunctionRecord, scopes: inout [UInt32], calls: inout [Int],
        parents: inout [UInt32], depths: inout [UInt32]
    ) -> Int? {
        let records = function.calls.span
        var scopes = scopes.mutableSpan
        for index in records.indices { scopes[index] = 0 }
        for interval in function.intervals
        where !interval.range.isEmpty && records.indices.contains(interval.call) {
            scopes[interval.call] = 1
        }
        var calls = calls.mutableSpan
        var parents = parents.mutableSpan
        var depths = depths.mutableSpan
        var count = 1
        for index in records.indices {
            // A parent that does not precede its child could form a cycle, so it is ignored.
            var parent: UInt32 = 0
            if let call = records[index].parent, call >= 0, call < index { parent = scopes[call] }
            guard scopes[index] == 1 else {
                scopes[index] = parent
                continue
            }
            let depth = depths[Int(parent)]
            guard depth < IndexLimits.inlineDepth else { return nil }
            scopes[index] = UInt32(truncatingIfNeeded: count)
            parents[count] = parent
            depths[count] = depth + 1
            calls[count] = index
            count += 1
        }
        return count
    }

    /// - Returns: The number of intervals.
    private static func collectIntervals(
        _ function: FunctionRecord, scopes: [UInt32], intervals: inout [ScopeInterval]
    ) -> Int {
        let records = function.intervals.span
        let scopes = scopes.span
        var intervals = intervals.mutableSpan
        let callCount = function.calls.count
        var count = 0
        for index in records.indices {
            let record = records[index]
            guard !record.range.isEmpty, record.call >= 0, record.call < callCount else { continue }
            intervals[count] = ScopeInterval(
                start: record.range.lowerBound.rawValue, end: record.range.upperBound.rawValue,
                scope: scopes[record.call])
            count += 1
        }
        return count
    }

    /// Visits every start of an interval, and every end of the innermost one or one around it.
    ///
    /// - Returns: The number of boundaries.
    private static func sweep(
        _ intervals: inout [ScopeInterval], count: Int, boundaries: inout [ScopeBoundary],
        parents: [UInt32], tops: inout [UInt32]
    ) -> Int {
        var tops = tops.mutableSpan
        var intervals = intervals.mutableSpan
        var boundaries = boundaries.mutableSpan
        let parents = parents.span
        guard count > 0 else { return 0 }
        var position = intervals[0].start
        var next = 0
        var found = 0
        var last: UInt32 = 0
        while true {
            while next < count, unsafe intervals[unchecked: next].start <= position {
                let parent = unsafe Int(parents[Int(intervals[unchecked: next].scope)])
                unsafe intervals[unchecked: next].below = tops[parent]
                next &+= 1
                tops[parent] = UInt32(truncatingIfNeeded: next)
            }
            let (scope, end) = innermost(at: position, tops: &tops, intervals: intervals)
            if scope != last {
                boundaries[found] = ScopeBoundary(start: position, scope: scope)
                found += 1
                last = scope
            }
            let stop = unsafe next < count ? min(end, intervals[unchecked: next].start) : end
            guard stop > position, stop < .max else { return found }
            position = stop
        }
    }

    /// Returns the innermost scope at `position`, and where it may change before the next interval
    /// starts.
    @inline(__always)
    private static func innermost(
        at position: UInt64, tops: inout MutableSpan<UInt32>,
        intervals: borrowing MutableSpan<ScopeInterval>
    ) -> (scope: UInt32, end: UInt64) {
        var scope: UInt32 = 0
        var end = UInt64.max
        while true {
            let first = tops[Int(scope)]
            var top = first
            while top > 0, unsafe intervals[unchecked: Int(top) &- 1].end <= position {
                top = unsafe intervals[unchecked: Int(top) &- 1].below
            }
            if top != first { tops[Int(scope)] = top }
            guard top > 0 else { return (scope, end) }
            end = unsafe min(end, intervals[unchecked: Int(top) &- 1].end)
            scope = unsafe intervals[unchecked: Int(top) &- 1].scope
        }
    }
}
