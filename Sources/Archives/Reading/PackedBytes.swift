/// An archive or a compressed file, in memory or on disk.
public struct PackedBytes {
    public let kind: ArchiveKind
    let bytes: ArchiveBytes

    /// Returns `nil` if the bytes are neither.
    public init?(_ bytes: [UInt8]) {
        let start = Array(bytes.prefix(ArchiveKind.startLength))
        // They are copied only if they are one of these, or start with zeros.
        guard let kind = try? ArchiveKind(start: start, of: .memory(PinnedBytes(bytes)))
        else { return nil }
        self.kind = kind
        self.bytes = .memory(PinnedBytes(bytes))
    }

    /// Returns `nil` if the file is neither, is not a regular file, or is unreadable.
    public init?(ofFile path: String) {
        guard RandomAccessFile.isRegular(path), let file = try? RandomAccessFile(path),
            let start = try? file.bytes(at: 0, count: ArchiveKind.startLength),
            let kind = try? ArchiveKind(start: start, of: .file(file))
        else { return nil }
        self.kind = kind
        bytes = .file(file)
    }

    /// The packed size in bytes.
    public var count: Int64 { bytes.count }

    public func allBytes() throws(ArchiveError.Reason) -> [UInt8] {
        try bytes.read(at: 0, count: Int(bytes.count))
    }
}
