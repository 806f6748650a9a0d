/// What the first bytes of a file tell about it.
struct FileStart {
    private let magic: [UInt8]

    static let length = 4

    init(of path: String) throws(SymbolStoreError) {
        magic = try firstBytes(of: path, count: Self.length)
    }

    /// Whether it begins as Mach-O of either width and byte order, fat, fat64 or ELF.
    var isDebugFile: Bool { Self.debugFileMagics.contains(magic) }

    /// Which kind of archive it begins as.
    var archive: String? {
        Self.archiveMagics.first { magic.starts(with: $0.magic) }?.name
    }

    /// Why a file that the caller named cannot be read for symbols; `nil` where it may be.
    func problem(of path: String) -> SymbolStoreError? {
        if let archive {
            return SymbolStoreError(
                path, "is a \(archive) archive", next: "unpack it and give the folder")
        }
        if magic.isEmpty {
            return SymbolStoreError(path, "is empty", next: "build or download it again")
        }
        return nil
    }

    private static let debugFileMagics: Set<[UInt8]> = [
        [0xfe, 0xed, 0xfa, 0xce], [0xce, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf],
        [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf],
        [0x7f, 0x45, 0x4c, 0x46],
    ]

    private static let archiveMagics: [(magic: [UInt8], name: String)] = [
        ([0x50, 0x4b, 0x03, 0x04], "zip"), ([0x50, 0x4b, 0x05, 0x06], "zip"),
        ([0x1f, 0x8b], "gzip"), ([0xfd, 0x37, 0x7a, 0x58], "xz"),
        ([0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    ]
}
