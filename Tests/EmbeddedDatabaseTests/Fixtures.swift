import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JournalSupport
import SymbolIntake

/// A data folder for one test.
final class DataFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var file: String { "\(path)/\(EmbeddedDatabase.fileName)" }

    func open() throws -> EmbeddedDatabase { try EmbeddedDatabase(folder: path) }

    /// The size of the database and its log, in bytes.
    func byteCount() throws -> Int {
        try ["", "-wal"].map { ending in
            guard FileManager.default.fileExists(atPath: file + ending) else { return 0 }
            let attributes = try FileManager.default.attributesOfItem(atPath: file + ending)
            return attributes[.size] as? Int ?? 0
        }.reduce(0, +)
    }
}

/// Runs `body` with a new database, and closes it.
func withDatabase(_ body: (EmbeddedDatabase) async throws -> Void) async throws {
    let folder = try DataFolder()
    let database = try folder.open()
    try await body(database)
    try await database.close()
}

extension EmbeddedDatabase {
    /// Records a change of an image's symbols, and marks the diagnostics that wait for it.
    ///
    /// - Returns: The number of marked diagnostics.
    func wake(
        waitingFor image: ImageID, of owner: SymbolOwner = .everyone, since oldest: UnixTime,
        due: UnixTime
    ) async throws -> Int {
        _ = try await recordChange(of: debugFile(of: image, owner: owner))
        return try await markAll(
            waitingFor: image, ResendTerms(oldest: oldest, due: due))
    }
}
