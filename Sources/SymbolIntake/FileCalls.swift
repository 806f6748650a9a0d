import Glibc

/// Renames a file, in place of another one if there is one.
func move(_ path: String, to target: String) throws(FileFailure) {
    guard unsafe rename(path, target) == 0 else { throw FileFailure(target) }
}

/// Removes a file; one that is not there is no failure.
func removeFile(_ path: String) throws(FileFailure) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw FileFailure(path) }
}

/// Makes what was done to a file or to the names in a folder last.
func flush(_ path: String) throws(FileFailure) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileFailure(path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw FileFailure(path) }
}

/// The path of what `path` leads to, without links in it; `nil` where there is nothing.
func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
}

/// The bytes of a file, handed to `body` in pieces.
func readPieces(of path: String, _ body: (_ bytes: Span<UInt8>) throws -> Void) throws {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileFailure(path) }
    defer { close(file) }
    var room = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let count = unsafe read(file, &room, room.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw FileFailure(path) }
        if count == 0 { return }
        try body(room.span.extracting(0..<count))
    }
}
