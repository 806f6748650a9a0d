/// The name of an entry as a path below the archive, whatever system packed it.
///
/// It is only ever shown and looked at: files on disk have names of our own.
struct EntryName {
    /// What lies between slashes, without `.` and nothing. Back-slashes are slashes of Windows.
    private let parts: [String]

    /// In bytes, for one name with all its folders: what macOS takes (`PATH_MAX`).
    static let lengthLimit = 1_024

    init(_ name: [UInt8]) throws(ArchiveError.Reason) {
        guard name.count <= Self.lengthLimit
        else { throw .nameTooLong(limit: Self.lengthLimit) }
        // Names are in any encoding; what is not UTF-8 is replaced. Slashes are looked for before,
        // because as a character a slash may have swallowed the accent behind it.
        parts = name.split(whereSeparator: Self.isSlash)
            .map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
        guard name.first.map(Self.isSlash) != true, !Self.hasDrive(name), !parts.contains("..")
        else { throw .leavesFolder }
    }

    var text: String { parts.joined(separator: "/") }

    /// Whether it is what the Finder and archivers leave beside the files.
    var isResidue: Bool {
        parts.contains("__MACOSX") || parts.last == ".DS_Store"
            || parts.last?.hasPrefix("._") == true
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private static func hasDrive(_ name: [UInt8]) -> Bool {
        name.count >= 2 && name[1] == UInt8(ascii: ":") && (0x61...0x7a).contains(name[0] | 0x20)
    }
}
