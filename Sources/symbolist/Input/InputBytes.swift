import Glibc
import SymbolStores

/// The input of a command: a file, or standard input for `-`.
struct InputBytes {
    /// The size limit in bytes of a file that is read as a whole, after decompression. Larger files
    /// are processed piece by piece, like pipes.
    static let wholeFileLimit = 64 << 20
    /// The size limit in bytes of a report, and of an archive in an archive or on standard input.
    /// Each is kept in memory as a whole. A parsed report takes about three times its size.
    static let limit = 512 << 20

    private let path: String

    init(_ path: String) { self.path = path }

    /// The name in messages.
    var name: String { path == "-" ? "standard input" : shownPath(path) }

    func read() throws(SymbolStoreError) -> [UInt8] {
        let file = try open(announcing: "a diagnostic")
        defer { if file != STDIN_FILENO { close(file) } }
        return try Self.bytes(of: file, name: name)
    }

    /// Opens the file, or returns the descriptor of standard input, which the caller must not
    /// close.
    ///
    /// - Parameter what: The expected input, named in the prompt on a terminal.
    func open(announcing what: String = "a report") throws(SymbolStoreError) -> Int32 {
        if path == "-" {
            Console.announceStandardInput(of: what)
            return STDIN_FILENO
        }
        guard let status = try? FileStatus(of: path) else {
            throw SymbolStoreError(path, detail: "no such file", suggestion: "check the path")
        }
        if status.kind == .folder {
            throw SymbolStoreError(path, detail: "is a folder", suggestion: "use the files in it")
        }
        let file = openForReading(path)
        guard file >= 0 else {
            throw SymbolStoreError(
                path, detail: "permission denied", suggestion: "check its permissions")
        }
        return file
    }

    /// - Parameter start: The bytes already read from the file.
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
            name, detail: "is larger than \(limit >> 20) MiB",
            suggestion: "split it into single reports")
    }

    /// Reads the available bytes of standard input, at least one, or none at its end and after an
    /// error.
    static func available() -> [UInt8] { (try? chunk(of: STDIN_FILENO)) ?? [] }

    /// Reads the available bytes, at least one, or none at the end.
    static func chunk(
        of file: Int32, name: String = "standard input"
    ) throws(SymbolStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &bytes, bytes.count)
            if count >= 0 { return Array(bytes[..<count]) }
            if errno != EINTR {
                throw SymbolStoreError(name, detail: "cannot be read", suggestion: "pass a file")
            }
        }
    }
}
