/// The functions and inlined calls around the current entry of a walk.
///
/// Removed levels stay in the array and are overwritten later, because removing and appending would
/// check for unique ownership three times per entry.
struct WalkLevels {
    /// The scope of an entry's children.
    struct Scope {
        /// Whether the scope is the open function, or a call in it.
        var isInFunction = false
        /// An index into the calls of that function; −1 for the function itself.
        var call = -1
        /// The number of enclosing calls.
        var inlineDepth = 0
        /// If the scope is a call without code: the index of the outermost such call, whose call
        /// site is in the innermost scope with code. Otherwise −1.
        var callWithoutCode = -1
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

    /// The last level, which must exist.
    @inline(__always)
    mutating func removeLast() {
        precondition(count > 0, "there is no level")
        count &-= 1
    }
}
