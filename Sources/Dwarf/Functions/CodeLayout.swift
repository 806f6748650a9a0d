import CallStacks

/// Converts addresses in the debug information to code offsets.
struct CodeLayout: Sendable {
    private let layout: ImageLayout
    private let base: UInt64
    private let thumbMask: UInt64
    /// The largest section, which contains nearly all ranges, so that they need no search.
    private let largest: Range<ImageOffset>

    init(_ layout: ImageLayout, architecture: Architecture) {
        self.layout = layout
        base = layout.base.rawValue
        thumbMask = architecture.marksThumbInAddresses ? ~1 : ~0
        let sizes = layout.code.map { $0.upperBound.rawValue - $0.lowerBound.rawValue }
        let index = sizes.indices.max { sizes[$0] < sizes[$1] }
        largest = index.map { layout.code[$0] } ?? ImageOffset(0)..<ImageOffset(0)
    }

    /// Returns a range of code, or `nil` for remnants of functions that the linker dropped, and for
    /// ranges that exceed their section.
    ///
    /// On 32-bit ARM, bit 0 may mark Thumb code, so it is cleared first.
    @inline(__always)
    func codeRange(from start: UInt64, to end: UInt64) -> Range<ImageOffset>? {
        let (start, end) = (start & thumbMask, end & thumbMask)
        guard start < end, start >= base else { return nil }
        let (first, limit) = (ImageOffset(start &- base), ImageOffset(end &- base))
        if first >= largest.lowerBound, limit <= largest.upperBound {
            return unsafe Range(uncheckedBounds: (first, limit))
        }
        return layout.codeRange(from: LinkAddress(start), to: LinkAddress(end))
    }

    /// Whether code is at an address, unlike at those of functions that the linker dropped.
    func containsCode(at address: UInt64) -> Bool {
        offset(of: address).flatMap { layout.section(containing: $0) } != nil
    }

    /// Returns the offset of an address, or `nil` if it is before the image.
    @inline(__always)
    func offset(of address: UInt64) -> ImageOffset? {
        let address = address & thumbMask
        return address >= base ? ImageOffset(address &- base) : nil
    }
}
