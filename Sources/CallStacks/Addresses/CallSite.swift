/// The kind of code that a frame's offset points to, which determines how the offset is looked up.
///
/// Only the innermost frame was stopped *at* its instruction. Every caller has a return address:
/// the instruction after the call, which may belong to the next line, the next inlined call or,
/// after a call that never returns, to another function.
public enum CallSite: Hashable, Sendable {
    /// The instruction that was executing.
    case programCounter(ImageOffset)
    /// The instruction after a call.
    case returnAddress(ImageOffset)
    /// A return address that the report's writer has already moved back into the call.
    case adjusted(ImageOffset)

    /// The offset to display, unchanged.
    public var offset: ImageOffset {
        switch self {
        case .programCounter(let offset), .returnAddress(let offset), .adjusted(let offset): offset
        }
    }

    /// The offset to look up. For a return address it is one byte earlier, which is inside the
    /// call.
    ///
    /// One byte is enough on every architecture, because lookups are by range and the offset need
    /// not be the start of an instruction. Offset 0 is not moved.
    public var lookupOffset: ImageOffset {
        switch self {
        case .programCounter(let offset), .adjusted(let offset): offset
        case .returnAddress(let offset): ImageOffset(offset.rawValue - min(offset.rawValue, 1))
        }
    }
}
