import Foundation
import SymbolStores

/// What a command was given to read: a file, or standard input for `-`.
enum InputBytes {
    /// The largest input that is read, in bytes.
    static let limit = 64 << 20

    static func read(_ name: String) throws -> [UInt8] {
        let handle = try name == "-" ? FileHandle.standardInput : open(name)
        let data: Data?
        do {
            data = try handle.read(upToCount: limit + 1)
        } catch {
            throw SymbolStoreError(name, "cannot be read", next: "give a file, not a folder")
        }
        let bytes = [UInt8](data ?? Data())
        guard bytes.count <= limit else {
            throw SymbolStoreError(
                name, "larger than \(limit >> 20) MiB", next: "give one report at a time")
        }
        return bytes
    }

    private static func open(_ path: String) throws -> FileHandle {
        guard FileManager.default.fileExists(atPath: path)
        else { throw SymbolStoreError(path, "no such file", next: "give a path that exists") }
        guard let handle = FileHandle(forReadingAtPath: path)
        else { throw SymbolStoreError(path, "cannot be read", next: "check its permissions") }
        return handle
    }
}
