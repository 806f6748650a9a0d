/// The name of an entry as a relative path, whichever system packed it.
///
/// It is only displayed and inspected: files on disk get other names.
struct EntryName {
    /// The path components, without `.` and empty ones. Windows backslashes separate them too.
    private let parts: [String]

    /// The maximum length of a path in bytes, which is that of macOS (`PATH_MAX`).
    static let lengthLimit = 1_024

    init(_ name: [UInt8]) throws(ArchiveError.Reason) {
        guard name.count <= Self.lengthLimit
        else { throw .nameTooLong(limit: Self.lengthLimit) }
        // Names have any encoding; invalid UTF-8 is replaced. The bytes are split before decoding,
        // because a slash and a combining accent after it would form one character.
        parts = name.split(whereSeparator: Self.isSlash)
            .map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
        guard name.first.map(Self.isSlash) != true, !Self.hasDrive(name), !parts.contains("..")
        else { throw .leavesArchive }
    }

    var text: String { parts.joined(separator: "/") }

    /// Whether the file is one that Finder or an archiver adds.
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
