import Archives
import Glibc

/// Writes `bytes` to a file at `path`, and replaces an existing one.
///
/// Readers see either the old file or the complete new one, even if the process or the machine
/// stops at any moment: the bytes are written to a draft next to the file, which is renamed once
/// they are on disk.
///
/// - Throws: ``SymbolStoreError`` if the file cannot be written.
public func replaceFile(at path: String, with bytes: [UInt8]) throws(SymbolStoreError) {
    if let number = replace(path, mode: nil, with: bytes) { throw unwritable(path, number: number) }
}

/// - Parameter mode: The mode of the new file, or `nil` for the process's default.
/// - Returns: The error number of the failed system call, or `nil` if the file is in place.
func replace(_ path: String, mode: mode_t?, with bytes: [UInt8]) -> Int32? {
    let draft = draftPath(of: path)
    let isWritten = writeDraft(bytes, mode: mode, at: draft, isFlushed: true)
    guard isWritten, unsafe rename(SystemPath.bytes(of: draft), SystemPath.bytes(of: path)) == 0
    else {
        let problem = errno
        _ = unsafe unlink(SystemPath.bytes(of: draft))
        return problem
    }
    flushFolder(of: path)
    return nil
}

func unwritable(_ path: String, number: Int32) -> SymbolStoreError {
    SymbolStoreError(
        path, detail: "cannot be written: \(systemMessage(number))",
        suggestion: "check that the folder exists, is writable and has space")
}

/// Returns a new name next to a file.
func draftPath(of path: String) -> String {
    "\(path).\(UInt64.random(in: 0 ... .max))\(IndexFolder.draftEnding)"
}

/// Writes a new file. Returns `false` and sets `errno` on failure.
///
/// - Parameter isFlushed: Whether the bytes are on disk when the function returns.
func writeDraft(
    _ bytes: [UInt8], mode: mode_t? = nil, at path: String, isFlushed: Bool
) -> Bool {
    let file = unsafe open(
        SystemPath.bytes(of: path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { return false }
    let hasMode = mode.map { fchmod(file, $0) == 0 } ?? true
    let isWritten = hasMode && writeAll(bytes, to: file) && (!isFlushed || fsync(file) == 0)
    let problem = errno
    close(file)
    errno = problem
    return isWritten
}

/// Writes to an open file. Returns `false` and sets `errno` on failure.
func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { rest in
            unsafe write(file, rest.baseAddress, rest.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Makes the new name durable. If that fails, the file itself is still complete.
func flushFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let file = unsafe open(SystemPath.bytes(of: folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
}
