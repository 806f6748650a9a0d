/// The base of an image and its executable sections.
public struct ImageLayout: Hashable, Sendable {
    /// The link address of ``ImageOffset`` 0.
    public let base: LinkAddress
    /// The executable sections, ascending, non-empty and disjoint.
    public let code: [Range<ImageOffset>]

    /// - Parameter code: Executable sections in any order; empty and overlapping ones are dropped.
    public init(base: LinkAddress, code: [Range<ImageOffset>]) {
        self.base = base
        var kept: [Range<ImageOffset>] = []
        for section in code.sorted(by: { $0.lowerBound < $1.lowerBound }) where !section.isEmpty {
            if let last = kept.last, last.upperBound > section.lowerBound { continue }
            kept.append(section)
        }
        self.code = kept
    }

    /// - Parameter sections: Executable sections as placed by the linker, with sizes in bytes.
    ///   Those that start below the base or exceed the address space are dropped.
    public init(
        base: LinkAddress, sections: [(address: LinkAddress, size: UInt64)]
    ) {
        let code = sections.compactMap { section -> Range<ImageOffset>? in
            let (end, overflow) = section.address.rawValue.addingReportingOverflow(section.size)
            guard section.address >= base, !overflow else { return nil }
            let start = section.address.rawValue - base.rawValue
            return ImageOffset(start)..<ImageOffset(end - base.rawValue)
        }
        self.init(base: base, code: code)
    }

    /// Returns the offset of a link address, or `nil` if it is below the base.
    public func offset(of address: LinkAddress) -> ImageOffset? {
        guard address >= base else { return nil }
        return ImageOffset(address.rawValue - base.rawValue)
    }

    /// Returns a range of code, or `nil` if it is empty or not entirely in one executable section.
    ///
    /// Linkers leave the ranges of removed functions at addresses such as 0, −1 and −2. Those
    /// ranges must not reach an index, nor must a range that extends past the end of its section.
    public func codeRange(from start: LinkAddress, to end: LinkAddress) -> Range<ImageOffset>? {
        guard start < end, let first = offset(of: start), let limit = offset(of: end),
            let section = section(containing: first), limit <= section.upperBound
        else { return nil }
        return first..<limit
    }

    /// Returns the executable section that contains `offset`.
    public func section(containing offset: ImageOffset) -> Range<ImageOffset>? {
        let index = code.partitioningIndex { $0.upperBound > offset }
        guard index < code.count, code[index].contains(offset) else { return nil }
        return code[index]
    }
}
