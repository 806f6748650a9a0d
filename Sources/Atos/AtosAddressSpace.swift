public import CallStacks

/// The address space of the numbers passed to `atos`.
public enum AtosAddressSpace: Hashable, Sendable {
    /// Addresses as the linker wrote them.
    case linked
    /// Runtime addresses of a process in which the image has this load address.
    case loaded(at: UInt64)
    /// Runtime addresses of a process in which every image is slid by this many bytes from its link
    /// address.
    case slid(by: UInt64)
    /// Offsets in the image.
    case offsets

    /// Returns the offset of a number, or `nil` if it is before the image.
    ///
    /// - Parameter base: The link address of the start of the image.
    public func offset(of number: UInt64, base: LinkAddress) -> ImageOffset? {
        let (start, isTooHigh) = start(base: base.rawValue)
        guard !isTooHigh, number >= start else { return nil }
        return ImageOffset(number - start)
    }

    /// Returns the number of the image's start.
    private func start(base: UInt64) -> (partialValue: UInt64, overflow: Bool) {
        switch self {
        case .linked: (base, false)
        case .loaded(let address): (address, false)
        case .slid(let slide): base.addingReportingOverflow(slide)
        case .offsets: (0, false)
        }
    }
}
