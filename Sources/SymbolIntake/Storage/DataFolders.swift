import Foundation
import Glibc
import SymbolStores

/// The layout of the part of the data folder that contains debug files.
public struct DataFolders: Sendable {
    public let path: String

    /// - Parameter path: The data folder, which is created if needed.
    public init(path: String) { self.path = path }

    /// Uploads in progress. Files that are here when the process starts were never acknowledged.
    public var incoming: String { path + "/incoming" }
    public var blobs: String { path + "/blobs" }
    public var indexes: String { path + "/indexes" }
    /// Received chunks of files that are not complete.
    var chunks: String { path + "/chunks" }
    /// The results of chunked uploads.
    var assembled: String { path + "/assembled" }

    /// Bitcode symbol maps, in a folder for each owner.
    var symbolMaps: String { path + "/symbol-maps" }

    /// The size of all indexes.
    public var indexByteCount: Int64 {
        ((try? folderEntries(of: indexes)) ?? []).reduce(0) {
            $0 + byteCount(ofFileAt: "\(indexes)/\($1)")
        }
    }

    /// Returns the size of a file, or 0 if it cannot be read.
    public func byteCount(ofFileAt path: String) -> Int64 { (try? FileStatus(of: path).size) ?? 0 }

    /// Returns a new path for an incoming upload. Pass it to
    /// ``UploadIntake/process(fileAt:named:options:)``, or remove it.
    public func newIncomingPath() -> String { "\(incoming)/\(randomName())" }

    /// Creates the folders, and removes unfinished uploads of an earlier run.
    func prepare() throws(StorageError) {
        try? FileManager.default.removeItem(atPath: incoming)
        for folder in [incoming, blobs, indexes, chunks, assembled, symbolMaps] {
            try Self.make(folder)
        }
    }

    /// Creates a folder for processing one upload.
    func newIncomingFolder() throws(StorageError) -> String {
        let folder = newIncomingPath()
        try Self.make(folder)
        return folder
    }

    /// Removes a file or folder, if it exists.
    public func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Creates a folder and those above it, unless they exist.
    static func make(_ folder: String) throws(StorageError) {
        if unsafe mkdir(folder, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            guard (try? FileStatus(of: folder).kind) == .folder else {
                throw StorageError(path: folder, number: ENOTDIR)
            }
        case ENOENT where folder.contains("/"):
            try make(String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]))
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw StorageError(path: folder)
            }
        case let number: throw StorageError(path: folder, number: number)
        }
    }

    private func randomName() -> String {
        String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    }
}
