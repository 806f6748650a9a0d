public import Problems

/// Why an archive, or one of its entries, could not be unpacked, with a suggestion.
public struct ArchiveError: Error, Hashable, Sendable {
    public enum Reason: Error, Hashable, Sendable {
        case unreadable(String)
        case notAnArchive
        case encrypted
        /// The limit in bytes.
        case tooManyBytes(limit: Int64)
        case ratioTooHigh(limit: Int64)
        /// The limit of one file, in bytes.
        case fileTooLarge(limit: Int)
        case tooManyEntries(limit: Int)
        case tooDeep(limit: Int)
        /// The name contains `..`, has a drive letter, or is absolute.
        case leavesArchive
        /// The limit in bytes.
        case nameTooLong(limit: Int)
        /// The archive ends before its last entry, or before its end marker.
        case truncated
        case damaged(String)
        /// The disk has no space for the unpacked files.
        case diskFull
        case unwritable(String)
    }

    /// The archive or entry: the caller's name for the archive, followed by the names inside.
    public var subject: String
    public var reason: Reason

    public init(_ subject: String, _ reason: Reason) {
        self.subject = subject
        self.reason = reason
    }
}

extension ArchiveError.Reason {
    public var detail: String {
        switch self {
        case .unreadable(let message): "cannot be read: \(message)"
        case .notAnArchive: "is not an archive"
        case .encrypted: "is encrypted"
        case .tooManyBytes(let limit): "unpacks to more than \(limit >> 20) MiB, the limit"
        case .ratioTooHigh(let limit): "unpacks to more than \(limit) times its size, the limit"
        case .fileTooLarge(let limit): "is larger than \(limit >> 20) MiB, the limit of a file"
        case .tooManyEntries(let limit): "has more than \(limit) entries, the limit"
        case .tooDeep(let limit): "is nested in more than \(limit) archives, the limit"
        case .leavesArchive: "name points outside the archive"
        case .nameTooLong(let limit): "name is longer than \(limit) bytes, the limit"
        case .truncated: "is truncated"
        case .damaged(let message): "is corrupt (\(message))"
        case .diskFull: "cannot be unpacked: no space left on the disk"
        case .unwritable(let message): "cannot be unpacked: \(message)"
        }
    }

    /// The suggestion, or `nil` if there is none.
    public var suggestion: String? {
        switch self {
        case .unreadable: nil
        case .notAnArchive: "use a zip or tar archive"
        case .encrypted: "use an archive without a password"
        case .tooManyBytes, .ratioTooHigh, .tooManyEntries:
            "unpack it and use the relevant files"
        case .fileTooLarge: "split it"
        case .tooDeep: "unpack the outer archives"
        case .leavesArchive: "the entry was skipped: pack it with a relative name"
        case .nameTooLong: "the entry was skipped: pack it with a shorter name"
        case .truncated, .damaged: "build or download it again"
        case .diskFull: "free some space and try again"
        case .unwritable: "check the folder's permissions"
        }
    }

    /// Whether the error rejects the whole archive, whichever entry caused it.
    var endsUnpacking: Bool {
        switch self {
        case .tooManyBytes, .ratioTooHigh, .tooManyEntries, .diskFull, .unwritable: true
        default: false
        }
    }

    /// Whether the error is about the entry's name only, so that its bytes can be skipped.
    var concernsName: Bool {
        switch self {
        case .leavesArchive, .nameTooLong, .tooDeep: true
        default: false
        }
    }
}

extension ArchiveError: DescribedError {
    /// `dSYMs.zip/../x: name points outside the archive: the entry was skipped: …`.
    public var problem: Problem {
        Problem(subject, detail: reason.detail, suggestion: reason.suggestion)
    }
}
