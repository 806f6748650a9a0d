import CallStacks
import Glibc

/// Renames a file, replacing the file at the target.
func move(_ path: String, to target: String) throws(StorageError) {
    guard unsafe rename(path, target) == 0 else { throw StorageError(path: target) }
}

/// Removes a file, if it exists.
func removeFile(_ path: String) throws(StorageError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw StorageError(path: path) }
}

/// Sets the time of the last change of a file.
func setModificationTime(of path: String, to time: UnixTime) throws(StorageError) {
    let time = timespec(
        tv_sec: Int(time.rawValue / 1_000), tv_nsec: Int(time.rawValue % 1_000) * 1_000_000)
    let times = [time, time]
    guard unsafe utimensat(AT_FDCWD, path, times, 0) == 0 else { throw StorageError(path: path) }
}

/// Flushes a file, or the names in a folder, to disk.
func flush(_ path: String) throws(StorageError) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StorageError(path: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw StorageError(path: path) }
}

/// Returns a path without symbolic links, or `nil` if the file does not exist.
func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
}

/// Calls `body` with the bytes of a file, piece by piece.
func readPieces(of path: String, _ body: (_ bytes: Span<UInt8>) throws -> Void) throws {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StorageError(path: path) }
    defer { close(file) }
    var room = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let count = unsafe read(file, &room, room.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw StorageError(path: path) }
        if count == 0 { return }
        try body(room.span.extracting(0..<count))
    }
}
