import Foundation
import GRDB
import Ingest

/// The numbers and contents of revisions.
extension DiagnosticRows {
    func revisions(ofEntry number: Int64) throws -> [KnownRevision] {
        try db.all(
            """
            SELECT position, revision, digest, held_until IS NOT NULL, symbolicated
            FROM diagnostic WHERE entry = ?
            """, [number]
        ).map { row in
            KnownRevision(
                sent: SentRevision(
                    place: RecordPlace(entry: number, position: row[0]), number: row[1],
                    digest: ContentDigest(column: row[2])),
                wasHeld: row[3], symbolicatedFrameCount: row[4])
        }
    }

    /// Whether diagnostics have these revisions now. Those that were removed have none that any
    /// reader would see again.
    func hold(_ revisions: [SentRevision]) throws -> Bool {
        try revisions.allSatisfy { revision in
            let row = try db.first(
                "SELECT revision, digest FROM diagnostic WHERE entry = ? AND position = ?",
                [revision.place.entry, revision.place.position])
            guard let row else { return true }
            return row[0] == revision.number && ContentDigest(column: row[1]) == revision.digest
        }
    }

    /// - Returns: Whether all were counted up, and not none.
    func advance(_ steps: [RevisionStep]) throws -> Bool {
        guard try hold(steps.map(\.last)) else { return false }
        for step in steps {
            try db.run(
                """
                UPDATE diagnostic SET revision = ?, digest = ? WHERE entry = ? AND position = ?
                """,
                [
                    step.last.number + 1, step.content.map { Data($0.bytes) },
                    step.last.place.entry, step.last.place.position,
                ])
        }
        try keep(WorkedBatch(lastNumber: 0, revised: steps.compactMap(\.poorerRow)))
        return true
    }
}

extension RevisionStep {
    /// The poorer row as it is kept.
    fileprivate var poorerRow: DiagnosticRow? {
        guard var row = poorer else { return nil }
        row.revision = last.number + 1
        return row
    }
}

extension ContentDigest {
    /// - Parameter column: `nil` in rows of earlier versions.
    init?(column: Data?) {
        guard let column else { return nil }
        self.init(bytes: [UInt8](column))
    }
}
