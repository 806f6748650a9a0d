/// The result of symbolicating one frame. A frame that remains an address is a result, not an
/// error.
public enum FrameStatus: String, Hashable, Sendable, CaseIterable {
    /// Function and line are known.
    case symbolicated
    /// The function is known, from the symbol table or from debug information without a line.
    case symbolOnly = "symbol_only"
    /// No symbols were supplied for the image.
    case missingImage = "missing_image"
    /// The image's file was supplied, but has neither debug information nor a matching symbol.
    case noDebugInfo = "no_debug_info"
    /// The frame has no image.
    case unknownImage = "unknown_image"
    /// No function of the image covers the offset.
    case notFound = "not_found"
    /// The report's format lost the offset, or its value is invalid.
    case badOffset = "bad_offset"
    /// The image's index is damaged.
    case corruptIndex = "corrupt_index"

    /// Whether a function was found.
    public var isResolved: Bool { self == .symbolicated || self == .symbolOnly }
}
