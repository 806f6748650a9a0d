import FoundationEssentials
import Glibc
import SymbolStores

/// What a command was given to read: a file, or standard input for `-`.
struct InputBytes {
    /// The largest file that is read as a whole, in bytes. A larger one is answered piece by piece, as
    /// a pipe is.
    static let wholeFileLimit: Int64 = 64 << 20
    /// The largest report, and the largest file in an archive or out of a compressed one, in bytes. Each
    /// is held in memory: with what is read of it about three times as much.
    static let limit = 512 << 20

    private let path: String

    init(_ path: String) { self.path = path }

    /// What messages call it.
    var name: String { path == "-" ? "standard input" : path }

    func read() throws(SymbolStoreError) -> [UInt8] {
        let file = try open(announcing: "a diagnostic")
        defer { if file != STDIN_FILENO { close(file) } }
        return try Self.bytes(of: file, name: name)
    }

    /// Opens the file; of standard input its descriptor, which stays open.
    ///
    /// - Parameter what: What is read, for whoever has to type it.
    func open(announcing what: String = "a report") throws(SymbolStoreError) -> Int32 {
        if path == "-" {
            Console.announceStandardInput(of: what)
            return STDIN_FILENO
        }
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

    /// - Parameter start: What was read of it before.
    static func bytes(
        of file: Int32, name: String = "standard input", after start: [UInt8] = []
    ) throws(SymbolStoreError) -> [UInt8] {
        var bytes = start
        while bytes.count <= limit {
            let chunk = try chunk(of: file, name: name)
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        throw SymbolStoreError(
            name, "is larger than \(limit >> 20) MiB", next: "give one report at a time")
    }

    /// What has arrived, and at least one byte; nothing at the end.
    static func chunk(
        of file: Int32, name: String = "standard input"
    ) throws(SymbolStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &bytes, bytes.count)
            if count >= 0 { return Array(bytes[..<count]) }
            if errno != EINTR {
                throw SymbolStoreError(name, "cannot be read", next: "give a file")
            }
        }
    }
}
