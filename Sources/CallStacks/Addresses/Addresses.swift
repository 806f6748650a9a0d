/// A distance in bytes from the start of an image: its `__TEXT` segment, or the first `PT_LOAD`.
///
/// Offsets do not change when the loader slides an image, so indexes are keyed by them. A
/// ``LinkAddress`` differs from its offset by the image's base. Confusing the two results in names
/// that look right but are wrong.
public struct ImageOffset: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An address as the linker wrote it into a file, before the loader slid the image.
public struct LinkAddress: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An address in the memory of the process that crashed or hung.
public struct RuntimeAddress: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
