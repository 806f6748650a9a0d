/// The bounds of what is read from JSON text.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may nest. 16,384 nested frames of a call stack take two each.
    public var depth = 1 << 16
    /// How many bytes are read, from the first one on.
    public var bytes = 64 << 20
    /// How many pieces one ``JSONDocument`` may hold, at 16 bytes each.
    public var tokens = 1 << 23

    public init() {}
}
