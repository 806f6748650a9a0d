/// The kind of an archive or a compressed file, detected from its first bytes.
public enum ArchiveKind: String, Hashable, Sendable {
    case zip, tar, gzip, xz, zstd

    /// The number of first bytes needed: a tar archive is recognised by its whole first header.
    public static let startLength = 512

    /// - Parameter start: The first ``startLength`` bytes of the file, or all of a shorter one.
    public init?(start: some Collection<UInt8>) {
        let start = Array(start.prefix(Self.startLength))
        if let kind = Self.magics.first(where: { start.starts(with: $0.magic) })?.kind {
            self = kind
        } else if TarHeader.begins(start) {
            self = .tar
        } else {
            return nil
        }
    }

    /// Also recognises a tar archive without entries, for which it reads all bytes.
    ///
    /// - Parameters:
    ///   - start: The first ``startLength`` bytes of `bytes`, or all of fewer.
    ///   - bytes: Evaluated only if the start consists of zeros.
    init?(
        start: [UInt8], of bytes: @autoclosure () -> ArchiveBytes
    ) throws(ArchiveError.Reason) {
        if let kind = Self(start: start) {
            self = kind
        } else if start.allSatisfy({ $0 == 0 }), try TarHeader.isMissing(in: bytes()) {
            self = .tar
        } else {
            return nil
        }
    }

    /// A zip archive starts with an entry, with its end record if it is empty, or with the marker
    /// of a split archive, which archivers also write if there is only one part.
    private static let magics: [(magic: [UInt8], kind: Self)] = [
        ([0x50, 0x4b, 0x03, 0x04], .zip), ([0x50, 0x4b, 0x05, 0x06], .zip),
        ([0x50, 0x4b, 0x07, 0x08, 0x50, 0x4b], .zip), ([0x1f, 0x8b, 0x08], .gzip),
        ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], .xz), ([0x28, 0xb5, 0x2f, 0xfd], .zstd),
    ]
}

/// The header block of a tar entry (POSIX.1, `pax`, "ustar Interchange Format").
enum TarHeader {
    /// Whether a block is a header, according to the checksum in it.
    ///
    /// The magic `ustar` is not a criterion, because archives of the older format have none.
    static func begins(_ block: [UInt8]) -> Bool {
        guard block.count >= ArchiveKind.startLength, block[0] != 0,
            let declared = octalNumber(block[checksumField])
        else { return false }
        let blanks = checksumField.count * Int(UInt8(ascii: " "))
        let others = block[..<checksumField.lowerBound] + block[checksumField.upperBound...]
        return others.reduce(blanks) { $0 + Int($1) } == declared
    }

    /// The maximum size of an archive without entries: some blocks of zeros, up to a whole record,
    /// which has 20 blocks unless the archiver was told otherwise.
    private static let emptyArchiveLimit: Int64 = 64 << 10

    /// Whether the bytes are an archive without entries: only blocks of zeros, at least two.
    static func isMissing(in bytes: ArchiveBytes) throws(ArchiveError.Reason) -> Bool {
        let block = Int64(ArchiveKind.startLength)
        guard bytes.count >= 2 * block, bytes.count <= emptyArchiveLimit, bytes.count % block == 0
        else { return false }
        return try bytes.read(at: 0, count: Int(bytes.count)).allSatisfy { $0 == 0 }
    }

    private static let checksumField = 148..<156

    private static func octalNumber(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 & 0xf8 == 0x30 }
        return Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
