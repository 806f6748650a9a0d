/// Why an archive, or an entry of one, could not be unpacked, with what would help.
public struct ArchiveError: Error, Hashable, Sendable {
    public enum Reason: Error, Hashable, Sendable {
        case unreadable(String)
        case notAnArchive
        case encrypted
        /// In bytes.
        case tooManyBytes(limit: Int64)
        case ratioTooHigh(limit: Int64)
        /// In bytes, of one file.
        case fileTooLarge(limit: Int)
        case tooManyEntries(limit: Int)
        case tooDeep(limit: Int)
        /// The name has `..`, a drive, or begins at the root.
        case leavesFolder
        /// In bytes.
        case nameTooLong(limit: Int)
        /// The archive ends before its last entry, or before the mark of its end.
        case cutShort
        case damaged(String)
        /// What was unpacked finds no room on the disk.
        case diskFull
        case unwritable(String)
    }

    /// The archive or entry: the name that the caller gave, and below it the names inside.
    public var subject: String
    public var reason: Reason

    public init(_ subject: String, _ reason: Reason) {
        self.subject = subject
        self.reason = reason
    }
}

extension ArchiveError.Reason {
    public var what: String {
        switch self {
        case .unreadable(let message): "cannot be read: \(message)"
        case .notAnArchive: "is no archive"
        case .encrypted: "is encrypted"
        case .tooManyBytes(let limit): "unpacks to more than \(limit >> 20) MiB, its limit"
        case .ratioTooHigh(let limit): "unpacks to more than \(limit) times its size, its limit"
        case .fileTooLarge(let limit): "is larger than \(limit >> 20) MiB, the limit of a file"
        case .tooManyEntries(let limit): "has more than \(limit) entries, its limit"
        case .tooDeep(let limit): "lies in more than \(limit) archives, its limit"
        case .leavesFolder: "name leads out of the archive"
        case .nameTooLong(let limit): "name is longer than \(limit) bytes, its limit"
        case .cutShort: "is cut short"
        case .damaged(let message): "is damaged (\(message))"
        case .diskFull: "cannot be unpacked: no space left on the disk"
        case .unwritable(let message): "cannot be unpacked: \(message)"
        }
    }

    /// What would help, where there is something.
    public var next: String? {
        switch self {
        case .unreadable: nil
        case .notAnArchive: "give a zip or tar archive"
        case .encrypted: "give it without a password"
        case .tooManyBytes, .ratioTooHigh, .tooManyEntries:
            "unpack it and give the files that matter"
        case .fileTooLarge: "give it in smaller parts"
        case .tooDeep: "unpack the outer archives"
        case .leavesFolder: "the entry is left out: pack it by a relative name"
        case .nameTooLong: "the entry is left out: pack it by a shorter name"
        case .cutShort, .damaged: "build or download it again"
        case .diskFull: "make room and try again"
        case .unwritable: "check the folder's permissions"
        }
    }

    /// Whether the archive is refused whole, wherever in it this happens.
    var endsUnpacking: Bool {
        switch self {
        case .tooManyBytes, .ratioTooHigh, .tooManyEntries, .diskFull, .unwritable: true
        default: false
        }
    }

    /// Whether the entry's bytes can be passed by.
    var isOfName: Bool {
        switch self {
        case .leavesFolder, .nameTooLong, .tooDeep: true
        default: false
        }
    }
}

extension ArchiveError: CustomStringConvertible {
    /// `dSYMs.zip/../x: name leads out of the archive: the entry is left out: …`.
    public var description: String {
        [subject, reason.what, reason.next].compactMap(\.self).joined(separator: ": ")
    }
}
