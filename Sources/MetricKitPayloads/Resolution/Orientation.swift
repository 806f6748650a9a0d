import CallStacks

/// Which end of a received stack is innermost, the function that was executing.
public struct Orientation: Hashable, Sendable {
    public enum Direction: Hashable, Sendable { case innermostFirst, outermostFirst }

    public var direction: Direction
    /// The rule that decided. 1: adjusted frames. 2: branching. 3: binaries at the ends. 4: the
    /// kind of diagnostic. 0: an exception text, which has only one direction.
    public var rule: Int

    public init(_ direction: Direction, rule: Int) {
        self.direction = direction
        self.rule = rule
    }
}

/// Decides the orientation of a tree. Neither the kind nor the system version is sufficient:
/// crashes are innermost first and hangs outermost first, but not on every system, and a flat list
/// has the order of the tree from which it was made.
struct OrientationDecision {
    let tree: ReceivedTree
    let kind: DiagnosticKind
    let offsets: [DecodedOffset]
    let childCounts: [Int]

    var orientation: Orientation {
        let paths = paths
        let branches = childCounts.contains { $0 > 1 }
        if let direction = majority(paths.map { markVote($0, branches: branches) }) {
            return Orientation(direction, rule: 1)
        }
        if branches { return Orientation(.outermostFirst, rule: 2) }
        if let direction = majority(paths.map(endVote)) { return Orientation(direction, rule: 3) }
        let isInnermostFirst = kind == .crash || (kind == .unknown && !tree.looksSampled)
        return Orientation(isInnermostFirst ? .innermostFirst : .outermostFirst, rule: 4)
    }

    /// A path from a root to a leaf, of two or more frames; in a flat list, from the first frame to
    /// the last.
    private struct Path {
        let first: Int
        let last: Int
        let isFlat: Bool
    }

    private var paths: [Path] {
        var roots: [Int] = []
        roots.reserveCapacity(tree.frames.count)
        for index in tree.frames.indices {
            roots.append(tree.frames[index].parent.map { roots[$0] } ?? index)
        }
        var paths: [Path] = []
        paths.reserveCapacity(tree.stacks.count)
        for stack in tree.stacks where stack.frames.count > 1 {
            if stack.form == .flat {
                let last = stack.frames.upperBound - 1
                paths.append(Path(first: stack.frames.lowerBound, last: last, isFlat: true))
            } else {
                for leaf in stack.frames where childCounts[leaf] == 0 && roots[leaf] != leaf {
                    paths.append(Path(first: roots[leaf], last: leaf, isFlat: false))
                }
            }
        }
        return paths
    }

    /// Votes by the adjusted frames. The innermost frame is never adjusted.
    private func markVote(_ path: Path, branches: Bool) -> Orientation.Direction? {
        if path.isFlat {
            let hasMark = (path.first...path.last).contains { offsets[$0].isMinusOne }
            return hasMark ? .outermostFirst : nil
        }
        if offsets[path.first].isMinusOne { return .outermostFirst }
        return offsets[path.last].isMinusOne && !branches ? .innermostFirst : nil
    }

    /// Votes by the binaries at the ends: threads start in the loader or the thread library, and
    /// often end in the kernel.
    private func endVote(_ path: Path) -> Orientation.Direction? {
        let first = tree.frames[path.first]
        let last = tree.frames[path.last]
        for isOutermost in [Self.isLoader, Self.isThreadLibrary] {
            if isOutermost(first) != isOutermost(last) {
                return isOutermost(first) ? .outermostFirst : .innermostFirst
            }
        }
        guard Self.isKernel(first) != Self.isKernel(last) else { return nil }
        return Self.isKernel(first) ? .innermostFirst : .outermostFirst
    }

    private func majority(_ votes: [Orientation.Direction?]) -> Orientation.Direction? {
        let innermost = votes.count { $0 == .innermostFirst }
        let outermost = votes.count { $0 == .outermostFirst }
        if innermost == outermost { return nil }
        return innermost > outermost ? .innermostFirst : .outermostFirst
    }

    private static func isLoader(_ frame: ReceivedTree.Frame) -> Bool {
        isNamed(frame, "dyld") || isNamed(frame, "dyld_sim") || isNamed(frame, "libdyld.dylib")
    }

    private static func isThreadLibrary(_ frame: ReceivedTree.Frame) -> Bool {
        isNamed(frame, "libsystem_pthread.dylib")
    }

    private static func isKernel(_ frame: ReceivedTree.Frame) -> Bool {
        isNamed(frame, "libsystem_kernel.dylib")
            || (frame.address ?? 0) >= 0xffff_0000_0000_0000
    }

    /// Whether the name of its binary, without folders, is `name`.
    private static func isNamed(_ frame: ReceivedTree.Frame, _ name: String) -> Bool {
        guard let path = frame.name else { return false }
        let (bytes, wanted) = (path.utf8.span, name.utf8.span)
        let start = bytes.count - wanted.count
        guard start >= 0, start == 0 || bytes[start - 1] == UInt8(ascii: "/") else { return false }
        for step in wanted.indices where bytes[start + step] != wanted[step] { return false }
        return true
    }
}
