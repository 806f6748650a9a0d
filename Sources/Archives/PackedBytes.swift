/// An archive or a compressed file, in memory or on the disk.
public struct PackedBytes {
    public let kind: ArchiveKind
    let bytes: ArchiveBytes

    /// `nil` for what is neither.
    public init?(_ bytes: [UInt8]) {
        guard let kind = ArchiveKind(start: bytes) else { return nil }
        self.kind = kind
        self.bytes = .memory(HeldBytes(bytes))
    }

    /// A regular file. `nil` for what is neither, and for what cannot be read.
    public init?(ofFile path: String) {
        guard OpenedFile.isRegular(path), let file = try? OpenedFile(path),
            let start = try? file.bytes(at: 0, count: ArchiveKind.startLength),
            let kind = ArchiveKind(start: start)
        else { return nil }
        self.kind = kind
        bytes = .file(file)
    }

    /// In bytes, as it is packed.
    public var count: Int64 { bytes.count }

    public func allBytes() throws(ArchiveError.Reason) -> [UInt8] {
        try bytes.read(at: 0, count: Int(bytes.count))
    }
}
