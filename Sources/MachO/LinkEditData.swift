public import ByteReading
public import CallStacks

/// The link-edit data of an image, located by the file offsets in its load commands.
///
/// Images of a shared cache share their tables, in a file that may differ from the one with their
/// headers. Offsets there are relative to the file offset of the image's own `__LINKEDIT`, and are
/// translated to addresses.
public enum LinkEditData: Sendable {
    /// Returns the bytes that a shared cache maps at an address.
    public typealias MappedMemory =
        @Sendable (
            _ address: LinkAddress, _ count: UInt64, _ subject: String
        ) throws(ReadingError) -> FileBytes

    case file(FileBytes)
    case memory(MachOSegment, MappedMemory)

    func slice(
        at offset: UInt64, count: UInt64, subject: String
    ) throws(ReadingError) -> FileBytes {
        switch self {
        case .file(let file): return try file.slice(at: offset, count: count, subject: subject)
        case .memory(let segment, let memory):
            if count == 0 { return FileBytes([], subject: subject) }
            let (distance, isBefore) = offset.subtractingReportingOverflow(segment.fileOffset)
            let (address, overflows) = segment.address.rawValue.addingReportingOverflow(distance)
            guard !isBefore, !overflows else {
                throw ReadingError(.malformed("is outside of __LINKEDIT"), in: subject, at: offset)
            }
            return try memory(LinkAddress(address), count, subject)
        }
    }
}
