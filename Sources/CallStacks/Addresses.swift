/// A distance in bytes from the start of an image: its `__TEXT` segment, or the first `PT_LOAD`.
///
/// Offsets do not move when the loader slides an image, so they are what an index is searched by.
/// A ``LinkAddress``, the one written by the linker, differs from it by the image's base. Mixing the
/// two gives names that look right and are not.
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
