public import CallStacks

/// The function of a flame graph's node. Calls of equal functions by the same caller are one node.
public struct FlameFunction: Hashable, Sendable {
    public enum Name: Hashable, Sendable {
        case function(String)
        /// A frame without a function, identified by its offset in an image.
        case offset(ImageOffset, image: ImageID?)
        /// A frame outside all images.
        case address(RuntimeAddress)
        case unknown

        /// The identity of the image, which distinguishes equal offsets in two builds.
        var image: ImageID? {
            if case .offset(_, let image) = self { image } else { nil }
        }
    }

    /// The name of the image, or its identity if it has no name. The name is the same in all
    /// versions of an app.
    public let image: String?
    public let name: Name
    /// Whether this is a call that was inlined into the function above it.
    public let isInlined: Bool
    /// Whether the image belongs to the app and not to the system.
    public let isInApp: Bool
    /// The line within the function, or 0 in a graph that merges by function.
    public let line: UInt32
    /// The offset in the image, or `nil` unless calls are merged by address.
    public let offset: ImageOffset?

    /// A function in a graph that merges by function.
    init(image: String?, name: Name, isInlined: Bool, isInApp: Bool) {
        self.image = image
        self.name = name
        self.isInlined = isInlined
        self.isInApp = isInApp
        line = 0
        offset = nil
    }

    package init(_ frame: SymbolicatedFrame, grouping: FlameGraphBuilder.Grouping) {
        image = frame.imageName ?? frame.image?.description
        name = Name(frame)
        isInlined = frame.isInlined
        isInApp = frame.isInApp
        line = grouping == .function ? 0 : frame.line
        offset = grouping == .address ? frame.offset : nil
    }

    /// `Cart.total(for:)`, `UIKitCore +0x1a2b`, or `0x1a0cea588`.
    public var label: String {
        let parts = labelParts
        return parts.name + parts.offset
    }

    /// The ``label`` in two parts: a name of unknown origin, and the offset after it or nothing.
    public var labelParts: (name: String, offset: String) {
        switch name {
        case .function(let name): (name, "")
        case .offset(let offset, _):
            (image ?? "???", " +0x\(String(offset.rawValue, radix: 16))")
        case .address(let address): ("0x" + String(address.rawValue, radix: 16), "")
        case .unknown: (image ?? "???", "")
        }
    }

    /// Whether its symbols are missing.
    public var isRaw: Bool {
        if case .function = name { false } else { true }
    }
}

extension FlameFunction.Name {
    fileprivate init(_ frame: SymbolicatedFrame) {
        if let function = frame.function ?? frame.mangled {
            self = .function(function)
        } else if let offset = frame.offset {
            self = .offset(offset, image: frame.image)
        } else if let address = frame.address {
            self = .address(address)
        } else {
            self = .unknown
        }
    }
}
