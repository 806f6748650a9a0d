/// Limits for reading JSON text.
public struct JSONLimits: Hashable, Sendable {
    /// The maximum depth of arrays and objects. 16,384 nested frames of a call stack need two each.
    public var depth = 1 << 16
    /// The maximum number of bytes read.
    public var bytes = 64 << 20
    /// The maximum number of nodes in a ``JSONDocument``, of 16 bytes each.
    public var tokens = 1 << 23

    public init() {}
}
