public import CallStacks
public import JSONText

extension ReceivedDiagnostic {
    /// Returns the positions of its frames in the JSON. This takes as long as reading the frames
    /// again, so it is not part of reading.
    ///
    /// - Parameters:
    ///   - value: The value that the diagnostic was read from, with function names.
    ///   - limits: The limits that it was read with.
    ///   - architectureOf: As in ``resolved(architectureOf:)``.
    /// - Returns: `nil` for a text, or if the JSON has different frames.
    public func nodes(
        in value: JSONValue, limits: PayloadLimits = PayloadLimits(),
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> FrameNodeMap? {
        guard case .tree(let tree) = stacks else { return nil }
        let nodes = TreeReader.nodes(in: value, limits: limits)
        guard nodes.count == tree.frames.count else { return nil }
        let resolution = resolution(of: tree, architectureOf: architectureOf)
        return FrameNodeMap(
            nodes: resolution.order.map { nodes[$0] }, direction: resolution.orientation.direction)
    }
}
