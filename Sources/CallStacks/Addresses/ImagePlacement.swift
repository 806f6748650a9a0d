/// The positions of an image's code in its file and in the linker's address space, to which the
/// offsets in some reports are relative.
public struct ImagePlacement: Hashable, Sendable {
    /// A part of the file that the loader maps.
    public struct Segment: Hashable, Sendable {
        public var fileOffset: UInt64
        public var address: LinkAddress
        /// The size in the file, in bytes.
        public var size: UInt64

        public init(fileOffset: UInt64, address: LinkAddress, size: UInt64) {
            self.fileOffset = fileOffset
            self.address = address
            self.size = size
        }
    }

    /// The link address of ``ImageOffset`` 0.
    public var base: LinkAddress
    public var segments: [Segment]

    public init(base: LinkAddress, segments: [Segment]) {
        self.base = base
        self.segments = segments
    }

    /// Whether a link address is in a segment.
    public func contains(_ address: LinkAddress) -> Bool {
        segments.contains {
            address >= $0.address && address.rawValue - $0.address.rawValue < $0.size
        }
    }

    /// Returns the image offset of an offset with another origin, or `nil` if it is outside the
    /// image.
    public func offset(of value: UInt64, from origin: OffsetOrigin) -> ImageOffset? {
        switch origin {
        case .image: return ImageOffset(value)
        case .link: return value >= base.rawValue ? ImageOffset(value - base.rawValue) : nil
        case .file:
            guard
                let segment = segments.first(where: {
                    value >= $0.fileOffset && value - $0.fileOffset < $0.size
                })
            else { return nil }
            let (address, overflows) = segment.address.rawValue.addingReportingOverflow(
                value - segment.fileOffset)
            return overflows ? nil : offset(of: address, from: .link)
        }
    }
}
