private import Glibc

/// The folder for all unpacked files, which are named `1`, `2`, `3`.
///
/// Names of entries never become file names. So no name can lead out of the folder, follow a link,
/// be too long, or collide with another one, even on a case-insensitive file system.
struct PrivateFolder {
    private let path: String
    private var fileCount = 0

    /// Creates the folder, which must not exist.
    init(_ path: String) throws(ArchiveError.Reason) {
        self.path = path
        guard unsafe mkdir(path, 0o700) == 0 else { throw .writing(errno) }
    }

    mutating func newFile() throws(ArchiveError.Reason) -> UnpackedFileDraft {
        fileCount += 1
        return try UnpackedFileDraft("\(path)/\(fileCount)")
    }

    /// Removes a file created by ``newFile()``.
    func remove(_ file: String) { _ = unsafe unlink(file) }

    /// Removes the folder and all unpacked files.
    func remove() {
        for number in 0..<fileCount { remove("\(path)/\(number + 1)") }
        _ = unsafe rmdir(path)
    }
}

/// A file being written.
struct UnpackedFileDraft: ~Copyable {
    let path: String
    private let descriptor: Int32
    private(set) var byteCount: Int64 = 0

    fileprivate init(_ path: String) throws(ArchiveError.Reason) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .writing(errno) }
    }

    deinit { close(descriptor) }

    mutating func write(_ bytes: ArraySlice<UInt8>) throws(ArchiveError.Reason) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .writing(count < 0 ? errno : ENOSPC) }
            rest = rest.dropFirst(count)
            byteCount += Int64(count)
        }
    }
}

extension ArchiveError.Reason {
    fileprivate static func writing(_ number: Int32) -> Self {
        switch number {
        case ENOSPC, EDQUOT: .diskFull
        default: .unwritable(systemMessage(number))
        }
    }
}
