/// The origin of a report's offsets.
public enum OffsetOrigin: Hashable, Sendable {
    /// The first byte of the image in memory.
    case image
    /// Address 0 of the linker's address space. It is the first byte of a position-independent
    /// image, and far before the first byte of an image linked to a fixed address.
    case link
    /// The first byte of the file on disk.
    case file
}
