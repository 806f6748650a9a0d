public import CallStacks
public import JSONText

extension ReceivedDiagnostic {
    /// Where its frames stand in JSON. Costs as much as reading them again, so that whoever only
    /// reads pays nothing for it.
    ///
    /// - Parameters:
    ///   - value: What the diagnostic was read from, with names.
    ///   - limits: Those that it was read with.
    ///   - architectureOf: As for ``resolved(architectureOf:)``.
    /// - Returns: `nil` for a text, and for JSON with other frames.
    public func nodes(
        in value: JSONValue, limits: PayloadLimits = PayloadLimits(),
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> FrameNodes? {
        guard case .tree(let tree) = stacks else { return nil }
        let nodes = TreeReader.nodes(in: value, limits: limits)
        guard nodes.count == tree.frames.count else { return nil }
        let resolution = resolution(of: tree, architectureOf)
        return FrameNodes(
            nodes: resolution.order.map { nodes[$0] }, direction: resolution.orientation.direction)
    }
}
