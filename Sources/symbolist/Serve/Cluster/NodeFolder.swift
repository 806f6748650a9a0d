import EmbeddedDatabase
import Foundation
import Problems
import SymbolIntake

/// The data folder of a node, which no other process uses meanwhile.
///
/// A node removes the unfinished uploads of an earlier run, which may be those of another process
/// that runs, and the local files that the shared database has no row for.
final class NodeFolder: Sendable {
    private let lock: FolderLock

    /// - Throws: `StorageError` if another process uses the folder, or `Problem` if it has the data of
    ///   a single service that were not moved.
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
