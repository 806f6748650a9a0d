/// What became of one frame. A frame that stays an address is an answer, not an error.
public enum FrameStatus: String, Hashable, Sendable, CaseIterable {
    /// Function and line are known.
    case symbolicated
    /// The function is known, from the symbol table or from debug information without a line.
    case symbolOnly = "symbol_only"
    /// Nobody supplied symbols for its image.
    case missingImage = "missing_image"
    /// The image's file was supplied and holds neither debug information nor a symbol that fits.
    case noDebugInfo = "no_debug_info"
    /// The frame names no image.
    case unknownImage = "unknown_image"
    /// No function of the image covers the offset.
    case notFound = "not_found"
    /// The format lost the offset, or it cannot be one.
    case badOffset = "bad_offset"
    /// The image's index does not hold together.
    case corruptIndex = "corrupt_index"

    /// Whether a name was found.
    public var isResolved: Bool { self == .symbolicated || self == .symbolOnly }
}
