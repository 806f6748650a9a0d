import Glibc

/// Puts a file of `bytes` at `path`, in place of one that may be there.
///
/// Readers see the old file or the whole new one, whenever the process or the machine stops: the bytes
/// go to a draft beside it, which is renamed when they are on the disk.
public func replaceFile(at path: String, with bytes: [UInt8]) throws(SymbolStoreError) {
    let draft = "\(path).\(UInt64.random(in: 0 ... .max))\(IndexFolder.draftEnding)"
    let isWritten = writeDraft(bytes, at: draft)
    guard isWritten, unsafe rename(draft, path) == 0 else {
        let problem = errno
        _ = unsafe unlink(draft)
        throw SymbolStoreError(
            path, "cannot be written: \(systemMessage(problem))",
            next: "give a file in a folder that exists, may be written to and has room")
    }
    flushFolder(of: path)
}

/// Writes and flushes a new file; false where the system refuses, with `errno`.
private func writeDraft(_ bytes: [UInt8], at path: String) -> Bool {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else { return false }
    var written = 0
    while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { all in
            unsafe write(file, all.baseAddress! + written, all.count - written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        written += count
    }
    let isFlushed = written == bytes.count && fsync(file) == 0
    let problem = errno
    close(file)
    errno = problem
    return isFlushed
}

/// Makes the new name last. Where the system cannot, the file itself is still whole.
private func flushFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
}
