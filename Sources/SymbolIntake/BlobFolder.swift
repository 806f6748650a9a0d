import SymbolStores

/// Blobs in a folder of this machine: `ab/cdef….zst` for the name `abcdef…`.
///
/// A blob appears by being renamed when all of it is on the disk, and never changes.
public struct BlobFolder: BlobStore {
    private let path: String

    static let ending = ".zst"
    private static let nameLength = 64

    /// - Parameter path: A folder on the file system of what ``keep(fileAt:as:)`` is given.
    public init(path: String) { self.path = path }

    public func keep(fileAt file: String, as name: String) async throws(BlobError) {
        let (folder, target) = try places(of: name)
        do {
            if (try? FileStatus(of: target)) != nil { return try removeFile(file) }
            let isNew = (try? FileStatus(of: folder)) == nil
            try DataFolders.make(folder)
            if isNew { try flush(path) }
            try flush(file)
            try move(file, to: target)
            try flush(folder)
        } catch { throw BlobError(error) }
    }

    public func fetch(_ name: String, to target: String) async throws(BlobError) -> Bool {
        let source = try places(of: name).file
        guard (try? FileStatus(of: source)) != nil else { return false }
        do {
            var copy = try NewFile(at: target)
            try readPieces(of: source) { try copy.write($0) }
            return true
        } catch let error as FileFailure {
            throw BlobError(error)
        } catch { throw BlobError("\(error)") }
    }

    public func holds(_ name: String) async throws(BlobError) -> Bool {
        let file = try places(of: name).file
        return (try? FileStatus(of: file)) != nil
    }

    public func remove(_ name: String) async throws(BlobError) {
        let file = try places(of: name).file
        do { try removeFile(file) } catch { throw BlobError(error) }
    }

    public func names() async throws(BlobError) -> [String] {
        var names: [String] = []
        do {
            for folder in try folderEntries(of: path) {
                // Files that are not ours stay, wherever they are.
                guard let files = try? folderEntries(of: "\(path)/\(folder)") else { continue }
                for file in files where file.hasSuffix(Self.ending) {
                    let name = folder + file.dropLast(Self.ending.count)
                    if Self.isName(name) { names.append(name) }
                }
            }
        } catch { throw BlobError(error.description) }
        return names
    }

    /// Whether a text is a SHA-256 as blobs are named; nothing else becomes a path.
    static func isName(_ text: String) -> Bool {
        text.utf8.count == nameLength
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private func places(of name: String) throws(BlobError) -> (folder: String, file: String) {
        guard Self.isName(name) else {
            throw BlobError("blob '\(name)': is no SHA-256: give 64 lower-case hexadecimal digits")
        }
        let folder = "\(path)/\(name.prefix(2))"
        return (folder, "\(folder)/\(name.dropFirst(2))\(Self.ending)")
    }
}

extension BlobError {
    init(_ failure: FileFailure) { self.init(failure.description, isFull: failure.isFull) }
}
