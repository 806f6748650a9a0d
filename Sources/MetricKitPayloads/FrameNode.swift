public import JSONText

/// Where a physical frame stands in the JSON that a tree was read from.
public struct FrameNode: Sendable {
    /// The object of the function that owns the code.
    public var value: JSONValue
    /// The objects of the calls inlined into it, in the order of the text: each one holds the next.
    public var inlined: [JSONValue] = []
    /// Whether it stands in a list of frames that hold none.
    public var isFlat: Bool
}

/// Where the frames of a diagnostic stand in the JSON that it was read from.
public struct FrameNodes: Sendable {
    /// By the frames of the resolved tree.
    public var nodes: [FrameNode]
    /// Which way the frames run in the JSON.
    public var direction: Orientation.Direction
}
