/// What the answers to one diagnostic may cost, whatever an index holds.
///
/// A hostile index can answer each offset with 512 inlined calls and have no line for any of them.
/// Past a limit a frame keeps the function that owns its code, or stays without the nearest line;
/// no frame is lost.
struct LookupBudget {
    /// Inlined calls that are looked up, and again that become rows.
    static let inlinedCallsLimit = 1_000_000
    /// Searches for a nearest line, each of which may look at thousands of places.
    static let nearestLinesLimit = 16_384
    /// Searches for the starts of inlined calls, each as far as one for a line.
    static let callStartsLimit = 16_384

    private var inlinedCalls: Int
    private var nearestLines: Int
    private var callStarts = Self.callStartsLimit
    /// Whether something was left out.
    private(set) var isSpent = false

    init(
        inlinedCalls: Int = Self.inlinedCallsLimit, nearestLines: Int = Self.nearestLinesLimit
    ) {
        self.inlinedCalls = inlinedCalls
        self.nearestLines = nearestLines
    }

    /// Whether so many inlined calls may be kept; all or none of them are.
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
