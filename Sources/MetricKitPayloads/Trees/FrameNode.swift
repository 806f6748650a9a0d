public import JSONText

/// The position of a physical frame in the JSON that a tree was read from.
public struct FrameNode: Sendable {
    /// The object of the function that owns the code.
    public var value: JSONValue
    /// The objects of the calls inlined into it, in the order of the text: each one contains the
    /// next.
    public var inlined: [JSONValue] = []
    /// Whether it is in a flat list of frames.
    public var isFlat: Bool
}

/// The positions of a diagnostic's frames in the JSON that it was read from.
public struct FrameNodeMap: Sendable {
    /// One node for each frame of the resolved tree.
    public var nodes: [FrameNode]
    /// The direction of the frames in the JSON.
    public var direction: Orientation.Direction
}
