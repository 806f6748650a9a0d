/// A range of a call's code, identified by its scope.
struct ScopeInterval: Equatable, Sendable {
    var start: UInt64 = 0
    var end: UInt64 = 0
    var scope: UInt32 = 0
    /// The interval of a sibling seen before this one, plus 1, or 0.
    var below: UInt32 = 0

    @inline(__always)
    func precedes(_ other: Self) -> Bool {
        start != other.start ? start < other.start : scope < other.scope
    }
}

/// Sorts intervals by start, then scope.
///
/// A few are sorted by insertion, many by a radix sort. So the time is proportional to the number
/// of intervals, whatever a file contains.
struct IntervalSorter: Sendable {
    private var other: [ScopeInterval] = []
    private var positions = [Int](repeating: 0, count: 256)
    static let insertionLimit = 24

    /// Sorts the first `count` of `intervals`.
    mutating func sort(_ intervals: inout [ScopeInterval], count: Int) {
        if count <= Self.insertionLimit { return Self.insertionSort(&intervals, count: count) }
        let order = IntervalOrder(intervals, count: count)
        if order.isSorted { return }
        other.reach(count, filler: ScopeInterval())
        // Scopes are less significant, so they are sorted first. They usually are in ascending
        // order already.
        if !order.hasAscendingScopes {
            for shift in stride(from: 0, to: order.scopeBits, by: 8) {
                Self.pass(intervals, target: &other, count: count, positions: &positions) {
                    UInt64($0.scope) >> UInt64(shift)
                }
                swap(&intervals, &other)
            }
        }
        for shift in stride(from: 0, to: order.startBits, by: 8) {
            Self.pass(intervals, target: &other, count: count, positions: &positions) {
                ($0.start &- order.firstStart) >> UInt64(shift)
            }
            swap(&intervals, &other)
        }
    }

    private static func insertionSort(_ intervals: inout [ScopeInterval], count: Int) {
        var intervals = intervals.mutableSpan
        var index = 1
        while index < count {
            let interval = intervals[index]
            var hole = index
            while hole > 0, unsafe interval.precedes(intervals[unchecked: hole &- 1]) {
                unsafe intervals[unchecked: hole] = intervals[unchecked: hole &- 1]
                hole &-= 1
            }
            if hole < index { intervals[hole] = interval }
            index += 1
        }
    }

    /// Moves all intervals to `target` by the low byte of `key`. Equal ones keep their order.
    @inline(__always)
    private static func pass(
        _ source: [ScopeInterval], target: inout [ScopeInterval], count: Int,
        positions: inout [Int], key: (ScopeInterval) -> UInt64
    ) {
        let source = source.span
        var target = target.mutableSpan
        var positions = positions.mutableSpan
        for byte in 0..<256 { unsafe positions[unchecked: byte] = 0 }
        for index in 0..<count {
            let byte = Int(truncatingIfNeeded: key(source[index]) & 0xff)
            unsafe positions[unchecked: byte] &+= 1
        }
        var next = 0
        for byte in 0..<256 {
            let size = unsafe positions[unchecked: byte]
            unsafe positions[unchecked: byte] = next
            next &+= size
        }
        for index in 0..<count {
            let interval = source[index]
            let byte = Int(truncatingIfNeeded: key(interval) & 0xff)
            let position = unsafe positions[unchecked: byte]
            target[position] = interval
            unsafe positions[unchecked: byte] = position &+ 1
        }
    }
}

/// The significant bits of the sort keys.
private struct IntervalOrder {
    var isSorted = true
    var hasAscendingScopes = true
    var firstStart = UInt64.max
    /// The number of bits that differ among the scopes, and among the distances from the first
    /// start.
    var scopeBits = 0
    var startBits = 0

    init(_ intervals: [ScopeInterval], count: Int) {
        let intervals = intervals.span
        var last = ScopeInterval()
        var lastStart: UInt64 = 0
        var scopes: UInt32 = 0
        for index in 0..<count {
            let interval = intervals[index]
            if interval.precedes(last) { isSorted = false }
            if interval.scope < last.scope { hasAscendingScopes = false }
            firstStart = min(firstStart, interval.start)
            lastStart = max(lastStart, interval.start)
            scopes |= interval.scope
            last = interval
        }
        scopeBits = scopes.bitsNeeded
        startBits = (lastStart &- firstStart).bitsNeeded
    }
}
