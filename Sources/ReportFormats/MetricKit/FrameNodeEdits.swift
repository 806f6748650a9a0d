import CallStacks
import JSONText
import MetricKitPayloads

/// The edits that write functions into a frame object of a call-stack tree.
///
/// The object gains the keys of App Store Connect, whose values are strings. Inlined calls become
/// separate objects, marked `inlined`. Where callees nest in callers, they go between the function
/// and its callees; where callers nest in callees, they go around it:
///
///     outermost first                    innermost first
///
///     {P, subFrames: [C]}                {P, subFrames: [caller]}
///     {P, subFrames: [{i, subFrames:     {i, subFrames: [{P, subFrames:
///         [C]}]}                             [caller]}]}
///
/// Existing text is not rewritten, so it stays identical to the byte. If the end of an object is
/// missing because the file is damaged, nothing is written at its end.
struct FrameNodeEdits {
    let node: FrameNode
    let direction: Orientation.Direction
    private let members: FrameMembers

    /// - Parameter bytes: The text that the node's ranges refer to.
    init(_ node: FrameNode, _ direction: Orientation.Direction, in bytes: [UInt8]) {
        self.node = node
        self.direction = direction
        members = FrameMembers(node.value, in: bytes)
    }

    /// The number of bytes of the object that each inlined call repeats.
    var copiedByteCount: Int { members.copiedByteCount }

    /// - Parameter functions: Innermost first. The last one owns the code.
    func edits(for functions: [SymbolicatedFrame]) -> [Edit] {
        guard let owner = functions.last, let end = members.end, !isStrayInlined else { return [] }
        let names = FrameMembers.names(of: owner)
        let (replaced, added) = members.setting(names)
        let inlined = functions.dropLast().map(members.object(inlined:))
        var edits = replaced
        if !added.isEmpty { edits.append(Edit(end..<end, added)) }
        guard node.isFlat || isChain, isWhole || node.inlined.isEmpty else { return edits }
        switch (node.isFlat, placesInlinedAfter) {
        case (true, false): edits += before(inlined)
        case (true, true): edits += after(inlined.reversed())
        case (false, false): edits += around(inlined)
        case (false, true): edits += inside(inlined.reversed(), end: end)
        }
        return edits
    }

    /// Whether the object is an inlined call without its function, whose address is damaged. It
    /// stays unchanged.
    private var isStrayInlined: Bool { node.value["inlined"]?.bool == true }

    /// Whether inlined calls go after their function. Existing ones keep their position; new ones
    /// go where callees are.
    private var placesInlinedAfter: Bool {
        guard let first = node.inlined.first else { return direction == .outermostFirst }
        return first.range.lowerBound > node.value.range.lowerBound
    }

    /// Whether function and inlined calls contain only one another, and can be removed without
    /// loss.
    private var isChain: Bool {
        let chain = placesInlinedAfter ? [node.value] + node.inlined : node.inlined + [node.value]
        return zip(chain, chain.dropFirst()).allSatisfy { outer, inner in
            let contained = outer["subFrames"].map { Array($0.elements.prefix(2)) } ?? []
            return contained.count == 1 && contained[0].range == inner.range
        }
    }

    /// Whether the function and its inlined calls are complete in the text.
    private var isWhole: Bool { node.value.isWhole && node.inlined.allSatisfy(\.isWhole) }

    /// Writes a flat list, inlined calls before their function.
    private func before(_ inlined: [String]) -> [Edit] {
        let range = node.value.quotedRange
        let start = node.inlined.first?.quotedRange.lowerBound ?? range.lowerBound
        return [Edit(start..<range.lowerBound, inlined.map { "\($0)}," }.joined())]
    }

    /// Writes a flat list, inlined calls after their function.
    private func after(_ inlined: [String]) -> [Edit] {
        guard node.value.isWhole else { return [] }
        let range = node.value.quotedRange
        let end = node.inlined.last?.quotedRange.upperBound ?? range.upperBound
        return [Edit(range.upperBound..<end, inlined.map { ",\($0)}" }.joined())]
    }

    private func around(_ inlined: [String]) -> [Edit] {
        let range = node.value.quotedRange
        let old = node.inlined.first?.quotedRange ?? range
        let opening = Edit(
            old.lowerBound..<range.lowerBound, inlined.map { $0 + ",\"subFrames\":[" }.joined())
        guard node.value.isWhole else { return [opening] }
        let closing = String(repeating: "]}", count: inlined.count)
        return [opening, Edit(range.upperBound..<old.upperBound, closing)]
    }

    /// - Parameter end: The position for a new member.
    private func inside(_ inlined: [String], end: Int) -> [Edit] {
        let old = node.value["subFrames"]
        let callees = node.inlined.isEmpty ? old : node.inlined.last?["subFrames"]
        if inlined.isEmpty, node.inlined.isEmpty { return [] }
        let opening =
            inlined.isEmpty ? "" : "[" + inlined.joined(separator: ",\"subFrames\":[")
        let closing =
            inlined.isEmpty ? "" : "}" + String(repeating: "]}", count: inlined.count - 1) + "]"
        guard let old else {
            return [Edit(end..<end, members.member("subFrames", opening + closing))]
        }
        guard let callees, callees.kind == .array else {
            guard old.isWhole else { return [] }
            return [Edit(old.quotedRange, inlined.isEmpty ? "[]" : opening + closing)]
        }
        let key = inlined.isEmpty ? "" : ",\"subFrames\":"
        let start = Edit(
            old.quotedRange.lowerBound..<callees.quotedRange.lowerBound, opening + key)
        guard old.isWhole else { return [start] }
        return [
            start, Edit(callees.quotedRange.upperBound..<old.quotedRange.upperBound, closing),
        ]
    }
}
