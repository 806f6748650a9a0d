public import Archives
import SharedCaches

/// The kind of a file, recognised from its first bytes.
package enum FileSignature: Hashable, Sendable {
    case empty
    /// Mach-O of either width and byte order, fat, fat64 or ELF.
    case debugFile
    case archive(ArchiveKind)
    /// A file of a dyld shared cache.
    case sharedCache
    case other

    package init(of path: String) throws(SymbolStoreError) {
        self.init(try firstBytes(of: path, count: ArchiveKind.startLength))
    }

    init(of entry: ArchiveMember) { self.init(entry.start) }

    /// - Parameter bytes: At most ``Archives/ArchiveKind/startLength``.
    private init(_ bytes: [UInt8]) {
        if bytes.isEmpty {
            self = .empty
        } else if Self.debugFileMagics.contains(Array(bytes.prefix(4))) {
            self = .debugFile
        } else if CacheMagic.begins(bytes) {
            self = .sharedCache
        } else {
            self = ArchiveKind(start: bytes).map { .archive($0) } ?? .other
        }
    }

    var isDebugFile: Bool { self == .debugFile }
    var isEmpty: Bool { self == .empty }

    var archive: ArchiveKind? {
        if case .archive(let kind) = self { kind } else { nil }
    }

    private static let debugFileMagics: Set<[UInt8]> = [
        [0xfe, 0xed, 0xfa, 0xce], [0xce, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf],
        [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf],
        [0x7f, 0x45, 0x4c, 0x46],
    ]
}
