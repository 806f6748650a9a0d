import CallStacks

/// Turns addresses of the debug information into offsets of code.
struct CodeLayout: Sendable {
    private let layout: ImageLayout
    private let thumbMask: UInt64

    init(_ layout: ImageLayout, architecture: Architecture) {
        self.layout = layout
        thumbMask = architecture.marksThumbInAddresses ? ~1 : ~0
    }

    /// The range of code, or `nil` for what linkers left over of dropped functions and for what
    /// leaves its section.
    ///
    /// On 32-bit ARM bit 0 may mark Thumb code, so it is cleared before anything is subtracted.
    func codeRange(from start: UInt64, to end: UInt64) -> Range<ImageOffset>? {
        layout.codeRange(from: LinkAddress(start & thumbMask), to: LinkAddress(end & thumbMask))
    }

    /// The offset of an address in a range that ``codeRange(from:to:)`` accepted.
    func offset(of address: UInt64) -> ImageOffset? {
        layout.offset(of: LinkAddress(address & thumbMask))
    }
}
