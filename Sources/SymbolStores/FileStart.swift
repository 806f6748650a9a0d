public import Archives

/// What the first bytes of a file tell about it.
struct FileStart {
    /// At most ``Archives/ArchiveKind/startLength``.
    private let bytes: [UInt8]

    init(of path: String) throws(SymbolStoreError) {
        bytes = try firstBytes(of: path, count: ArchiveKind.startLength)
    }

    init(of entry: ArchiveEntry) { bytes = entry.start }

    /// Whether it begins as Mach-O of either width and byte order, fat, fat64 or ELF.
    var isDebugFile: Bool { Self.debugFileMagics.contains(Array(bytes.prefix(4))) }

    /// Which kind of archive it begins as.
    var archive: ArchiveKind? { ArchiveKind(start: bytes) }

    var isEmpty: Bool { bytes.isEmpty }

    private static let debugFileMagics: Set<[UInt8]> = [
        [0xfe, 0xed, 0xfa, 0xce], [0xce, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf],
        [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf],
        [0x7f, 0x45, 0x4c, 0x46],
    ]
}

extension ArchiveEntry {
    /// Whether it begins as a debug file does.
    public var isDebugFile: Bool { FileStart(of: self).isDebugFile }
}
