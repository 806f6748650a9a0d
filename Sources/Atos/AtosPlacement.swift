public import CallStacks

/// How the numbers of a run become offsets in the image.
public enum AtosPlacement: Hashable, Sendable {
    /// They are addresses as the linker wrote them.
    case linked
    /// They are addresses of a process that had the start of the image here.
    case loaded(at: UInt64)
    /// They are addresses of a process in which everything lay so much higher than linked.
    case slid(by: UInt64)
    /// They are offsets already.
    case offsets

    /// Where in the image a number points.
    ///
    /// - Parameter base: The link address of the start of the image.
    /// - Returns: `nil` for a number before the image.
    public func offset(of number: UInt64, base: LinkAddress) -> ImageOffset? {
        let (start, isTooHigh) = start(base: base.rawValue)
        guard !isTooHigh, number >= start else { return nil }
        return ImageOffset(number - start)
    }

    /// The number that stands for the start of the image.
    private func start(base: UInt64) -> (partialValue: UInt64, overflow: Bool) {
        switch self {
        case .linked: (base, false)
        case .loaded(let address): (address, false)
        case .slid(let slide): base.addingReportingOverflow(slide)
        case .offsets: (0, false)
        }
    }
}
