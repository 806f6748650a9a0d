package import CallStacks
import Foundation
import GRDB
package import Ingest
package import SymbolIntake

/// The contents in the form that another database imports, page by page. No other process can have
/// the folder open, and this one must not change it during the import.
extension EmbeddedDatabase {
    /// Returns the numbers of all entries, in ascending order.
    package func entryNumbers() async throws(JournalError) -> [Int64] {
        try await contents { db in
            try Int64.fetchAll(db, sql: "SELECT number FROM journal ORDER BY number")
        }
    }

    /// Returns the cursors of all readers, including the worker.
    package func cursors() async throws(JournalError) -> [MovedReader] {
        try await contents { db in
            try db.all("SELECT name, place, configured FROM reader ORDER BY name").map { row in
                MovedReader(name: row[0], cursor: row[1], wasConfigured: row[2])
            }
        }
    }

    /// Returns the number of diagnostics.
    package func diagnosticCount() async throws(JournalError) -> Int {
        try await contents { db in try db.first("SELECT count(*) FROM diagnostic")?[0] ?? 0 }
    }

    /// Returns the diagnostics after an address, in the order of their addresses.
    package func movedDiagnostics(
        after last: RecordAddress, count: Int
    ) async throws(JournalError) -> [MovedDiagnostic] {
        try await contents { db in try DiagnosticTable(db).moved(after: last, count: count) }
    }

    /// Returns the images that diagnostics wait for, in the order of their numbers.
    ///
    /// - Parameter number: The number after which to continue.
    /// - Returns: The images with their numbers.
    package func movedImages(
        after number: Int64, count: Int
    ) async throws(JournalError) -> [(number: Int64, image: MovedImage)] {
        try await contents { db in try MissingImageTable(db).moved(after: number, count: count) }
    }

    /// Returns the keys of processed payloads after the one with an id, oldest first.
    package func payloadKeys(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [(id: Int64, key: [UInt8])] {
        try await contents { db in
            try db.all(
                "SELECT id, key FROM seen_payload WHERE id > ? ORDER BY id LIMIT ?", [id, count]
            ).map { ($0[0], [UInt8]($0[1] as Data)) }
        }
    }

    /// Returns the dead letter after the one with an id, or `nil` after the last one.
    package func movedLetter(after id: Int64) async throws(JournalError) -> MovedLetter? {
        let found = try await contents { db in
            try db.first("SELECT * FROM dead_letter WHERE id > ? ORDER BY id LIMIT 1", [id]).map {
                (try DeadLetterTable(db).stored($0), $0["refused_under"] as String?)
            }
        }
        guard let (stored, refusedUnder) = found else { return nil }
        return try await asJournal { () async throws(DatabaseProblem) in
            MovedLetter(letter: try stored.letter(), refusedUnder: refusedUnder)
        }
    }

    /// Returns the debug files after the one with an id, in the order in which they were stored.
    package func movedFiles(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [(id: Int64, file: StoredDebugFile)] {
        try await contents { db in
            try db.all("SELECT * FROM debug_file WHERE id > ? ORDER BY id LIMIT ?", [id, count])
                .map { ($0["id"], try StoredDebugFile($0)) }
        }
    }

    /// Returns the systems of stored system images, with their images.
    package func systemImages() async throws(JournalError) -> [SystemBuild: [ImageID]] {
        try await contents { db in
            var images: [SystemBuild: [ImageID]] = [:]
            for row in try db.all("SELECT os, build, architecture, image FROM system_image") {
                let system = SystemBuild(name: row[0], build: row[1], architecture: row[2])
                images[system, default: []].append(try ImageID(column: row[3]))
            }
            return images
        }
    }

    private func contents<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(JournalError) -> Value {
        try await asJournal { () async throws(DatabaseProblem) in try await read(body) }
    }
}
