/// The functions and inlined calls around the entry that a walk visits.
///
/// What was removed stays where it is, to be overwritten: for each entry an array would have to be
/// asked three times whether it may be written to.
struct WalkLevels {
    /// What the children of an entry belong to.
    struct Scope {
        /// Whether that is the open function, or a call in it.
        var isInFunction = false
        /// An index into the calls of that function; −1 for the function itself.
        var call = -1
        /// How many calls are around them.
        var inlineDepth = 0
    }

    /// A function or call whose children are being visited.
    struct Level {
        let depth: Int
        let scope: Scope
        let opensFunction: Bool
    }

    private var levels: [Level] = []
    private var count = 0

    @inline(__always)
    var last: Level? { count > 0 ? levels[count &- 1] : nil }

    @inline(__always)
    mutating func push(_ level: Level) {
        if count < levels.count {
            levels[count] = level
        } else {
            levels.append(level)
        }
        count &+= 1
    }

    /// There must be one.
    @inline(__always)
    mutating func removeLast() {
        precondition(count > 0, "there is no level")
        count &-= 1
    }
}
