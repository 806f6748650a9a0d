import Foundation
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
        let handle = try path == "-" ? FileHandle.standardInput : open()
        let data: Data
        do {
            data = try handle.read(upToCount: Self.limit + 1) ?? Data()
        } catch {
            throw SymbolStoreError(name, "cannot be read", next: "give a file")
        }
        guard data.count <= Self.limit else {
            throw SymbolStoreError(
                name, "is larger than \(Self.limit >> 20) MiB", next: "give one report at a time")
        }
        return [UInt8](data)
    }

    private func open() throws(SymbolStoreError) -> FileHandle {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw SymbolStoreError(path, "no such file", next: "give a path that exists")
        }
        if isFolder.boolValue {
            throw SymbolStoreError(path, "is a folder", next: "give the files in it")
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw SymbolStoreError(path, "permission denied", next: "check its permissions")
        }
        return handle
    }
}
