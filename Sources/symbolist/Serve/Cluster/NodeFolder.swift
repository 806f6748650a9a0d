import EmbeddedDatabase
import Foundation
import Problems
import SymbolIntake

/// The data folder of a node, locked for this process.
///
/// The lock is needed because a node removes unfinished uploads, which could belong to another
/// running process, and local files without a row in the shared database.
final class NodeFolder: Sendable {
    private let lock: FolderLock

    /// - Throws: `StorageError` if another process uses the folder, or `Problem` if it contains the
    ///   data of a single service that was not moved.
    init(_ folder: String) throws {
        lock = try FolderLock(folder: folder)
        let database = "\(folder)/\(EmbeddedDatabase.fileName)"
        guard FileManager.default.fileExists(atPath: database) else { return }
        guard let mark = try MoveMark(ofFolder: folder) else {
            throw Problem(
                "data", detail: "'\(folder)' has the data of a single service",
                suggestion: "run symbolist move, or use another folder")
        }
        if !mark.isFinished { throw mark.refusal }
    }
}
