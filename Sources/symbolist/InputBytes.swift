import FoundationEssentials
import Glibc
import SymbolStores

/// What a command was given to read: a file, or standard input for `-`.
struct InputBytes {
    /// The largest input that is read, in bytes.
    static let limit = 64 << 20

    private let path: String

    init(_ path: String) { self.path = path }

    /// What messages call it.
    var name: String { path == "-" ? "standard input" : path }

    func read() throws(SymbolStoreError) -> [UInt8] {
        if path == "-" { Console.announceStandardInput(of: "a diagnostic") }
        let file = try path == "-" ? STDIN_FILENO : open()
        defer { if file != STDIN_FILENO { close(file) } }
        guard let bytes = Self.bytes(of: file) else {
            throw SymbolStoreError(name, "cannot be read", next: "give a file")
        }
        guard bytes.count <= Self.limit else {
            throw SymbolStoreError(
                name, "is larger than \(Self.limit >> 20) MiB", next: "give one report at a time")
        }
        return bytes
    }

    private func open() throws(SymbolStoreError) -> Int32 {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw SymbolStoreError(path, "no such file", next: "give a path that exists")
        }
        if isFolder {
            throw SymbolStoreError(path, "is a folder", next: "give the files in it")
        }
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw SymbolStoreError(path, "permission denied", next: "check its permissions")
        }
        return file
    }

    /// What an open file holds, up to a little more than the limit; `nil` if reading fails.
    private static func bytes(of file: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe piece.withUnsafeMutableBytes { piece in
                unsafe Glibc.read(file, piece.baseAddress, piece.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return bytes
    }
}
