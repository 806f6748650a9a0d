public import ByteReading
public import CallStacks

/// A universal file, with one complete Mach-O image per architecture.
///
/// The table is always big-endian, whatever the byte order of the slices. Slices may share bytes.
/// (`fat_header`, `fat_arch` and `fat_arch_64` of `mach-o/fat.h`.)
public struct FatFile: Sendable {
    /// One entry of the table.
    public struct Slice: Sendable {
        public let architecture: Architecture
        /// The slice, or an error if it is not inside the file.
        public let bytes: Result<FileBytes, ReadingError>
    }

    /// The maximum number of slices in a fat file.
    ///
    /// A Java class file has the same magic number and, in place of the count, a version of 45 or
    /// more.
    public static let sliceCountLimit: UInt32 = 30

    public let slices: [Slice]

    /// Returns `nil` unless `file` starts with the table of a fat file.
    public init?(_ file: FileBytes) {
        var cursor = ByteCursor(file, bigEndian: true)
        guard let magic = try? cursor.number(UInt32.self),
            [Self.magic, Self.magic64].contains(magic),
            let count = try? cursor.number(UInt32.self), 1...Self.sliceCountLimit ~= count,
            let slices = try? Self.slices(count, is64Bit: magic == Self.magic64, cursor: &cursor)
        else { return nil }
        self.slices = slices
    }

    private static let magic: UInt32 = 0xcafe_babe
    private static let magic64: UInt32 = 0xcafe_babf

    private static func slices(
        _ count: UInt32, is64Bit: Bool, cursor: inout ByteCursor
    ) throws(ReadingError) -> [Slice] {
        var slices: [Slice] = []
        for _ in 0..<count {
            let architecture = Architecture(
                cpuType: try cursor.number(UInt32.self), cpuSubtype: try cursor.number(UInt32.self))
            let offset = try cursor.unsigned(size: is64Bit ? 8 : 4)
            let size = try cursor.unsigned(size: is64Bit ? 8 : 4)
            // The alignment and, in the 64-bit form, a reserved word.
            try cursor.skip(is64Bit ? 8 : 4)
            let file = cursor.bytes
            let bytes = Result { () throws(ReadingError) in
                try file.slice(at: offset, count: size, subject: file.subject)
            }
            slices.append(Slice(architecture: architecture, bytes: bytes))
        }
        return slices
    }
}
