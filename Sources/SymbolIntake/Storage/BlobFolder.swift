import Glibc
import Problems
import SymbolStores

/// Stores blobs in a local folder: the blob `abcdef…` is the file `ab/cdef….zst`.
///
/// A blob is renamed into place after it is flushed to disk, and never changes.
public struct BlobFolder: BlobStore {
    private let path: String

    /// A copy is a second name of the file.
    public var needsSpaceForCopies: Bool { false }

    static let ending = ".zst"
    private static let nameLength = 64

    /// - Parameter path: A folder on the file system of the files for ``keep(fileAt:as:)``.
    public init(path: String) { self.path = path }

    public func keep(fileAt file: String, as name: String) async throws(StorageError) {
        let (folder, target) = try paths(of: name)
        if (try? FileStatus(of: target)) != nil { return try removeFile(file) }
        let isNew = (try? FileStatus(of: folder)) == nil
        try DataFolders.make(folder)
        if isNew { try flush(path) }
        try flush(file)
        try move(file, to: target)
        try flush(folder)
    }

    public func fetch(_ name: String, to target: String) async throws(StorageError) -> Bool {
        let source = try paths(of: name).file
        guard (try? FileStatus(of: source)) != nil else { return false }
        do {
            // A blob never changes, so a second name is as good as a copy.
            if unsafe link(source, target) == 0 { return true }
            var copy = try DurableFileWriter(at: target)
            try readPieces(of: source) { try copy.write($0) }
            return true
        } catch let error as StorageError {
            throw error
        } catch { throw StorageError(Problem(source, detail: "\(error)")) }
    }

    public func contains(_ name: String) async throws(StorageError) -> Bool {
        let file = try paths(of: name).file
        return (try? FileStatus(of: file)) != nil
    }

    public func remove(_ name: String) async throws(StorageError) {
        try removeFile(try paths(of: name).file)
    }

    public func names() async throws(StorageError) -> [String] {
        var names: [String] = []
        do {
            for folder in try folderEntries(of: path) {
                // Other files are kept.
                guard let files = try? folderEntries(of: "\(path)/\(folder)") else { continue }
                for file in files where file.hasSuffix(Self.ending) {
                    let name = folder + file.dropLast(Self.ending.count)
                    if Self.isName(name) { names.append(name) }
                }
            }
        } catch { throw StorageError(error.problem) }
        return names
    }

    /// Whether a text is a valid blob name, the SHA-256 of a file. Only such names become paths.
    static func isName(_ text: String) -> Bool {
        text.utf8.count == nameLength
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private func paths(of name: String) throws(StorageError) -> (folder: String, file: String) {
        guard Self.isName(name) else {
            throw StorageError(
                Problem(
                    "blob '\(name)'", detail: "not a SHA-256",
                    suggestion: "use 64 lower-case hexadecimal digits"))
        }
        let folder = "\(path)/\(name.prefix(2))"
        return (folder, "\(folder)/\(name.dropFirst(2))\(Self.ending)")
    }
}
