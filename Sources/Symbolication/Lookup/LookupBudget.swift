/// The limits on lookups for one diagnostic, whatever an index contains.
///
/// A hostile index can have 512 inlined calls at each offset and a line for none of them. Past a
/// limit, a frame keeps only the function that owns its code, or gets no nearest line; no frame is
/// lost.
struct LookupBudget {
    /// The maximum number of inlined calls that are looked up, and separately of those that become
    /// frames.
    static let inlinedCallsLimit = 1_000_000
    /// The maximum number of searches for a nearest line; each may read thousands of lines.
    static let nearestLinesLimit = 16_384
    /// The maximum number of searches for the starts of inlined calls, which are as expensive.
    static let callStartsLimit = 16_384

    private var inlinedCalls: Int
    private var nearestLines: Int
    private var callStarts = Self.callStartsLimit
    /// Whether a limit was reached.
    private(set) var isSpent = false

    init(
        inlinedCalls: Int = Self.inlinedCallsLimit, nearestLines: Int = Self.nearestLinesLimit
    ) {
        self.inlinedCalls = inlinedCalls
        self.nearestLines = nearestLines
    }

    /// Spends a number of inlined calls; all or none of them are allowed.
    mutating func allows(inlinedCalls count: Int) -> Bool {
        spend(count, of: \.inlinedCalls)
    }

    mutating func allowsNearestLine() -> Bool { spend(1, of: \.nearestLines) }

    mutating func allowsCallStarts() -> Bool { spend(1, of: \.callStarts) }

    private mutating func spend(_ count: Int, of left: WritableKeyPath<Self, Int>) -> Bool {
        guard count <= self[keyPath: left] else {
            isSpent = true
            return false
        }
        self[keyPath: left] -= count
        return true
    }
}
