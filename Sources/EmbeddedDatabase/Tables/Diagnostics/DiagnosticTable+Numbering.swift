import Foundation
import GRDB
import Ingest

/// The numbers and digests of revisions.
extension DiagnosticTable {
    func revisions(ofEntry number: Int64) throws -> [RevisionState] {
        try db.all(
            """
            SELECT position, revision, digest, held_until IS NOT NULL, symbolicated,
                history
            FROM diagnostic WHERE entry = ?
            """, [number]
        ).map { row in
            RevisionState(
                sent: SentRevision(
                    address: RecordAddress(entry: number, position: row[0]), number: row[1],
                    digest: RecordDigest(column: row[2])),
                wasHeld: row[3], symbolicatedFrameCount: row[4],
                history: RevisionHistory(column: row[5]))
        }
    }

    /// Whether these are the current revisions. Removed diagnostics count as current, because no
    /// reader receives them again.
    func areCurrent(_ revisions: [SentRevision]) throws -> Bool {
        try revisions.allSatisfy { revision in
            let row = try db.first(
                "SELECT revision, digest FROM diagnostic WHERE entry = ? AND position = ?",
                [revision.address.entry, revision.address.position])
            guard let row else { return true }
            return row[0] == revision.number && RecordDigest(column: row[1]) == revision.digest
        }
    }

    /// - Returns: Whether the revisions were stored.
    func advance(_ revisions: [NextRevision], symbolsSeen: Int64) throws -> Bool {
        guard try areCurrent(revisions.map(\.last)) else { return false }
        for next in revisions {
            try db.run(
                """
                UPDATE diagnostic SET revision = ?, digest = ?, history = ?
                WHERE entry = ? AND position = ?
                """,
                [
                    next.sent.number, next.content.map { Data($0.bytes) }, next.history.column,
                    next.last.address.entry, next.last.address.position,
                ])
        }
        try store(
            WorkerCommit(
                lastNumber: 0, revised: revisions.compactMap(\.reducedStored),
                symbolsSeen: symbolsSeen))
        return true
    }
}

extension RevisionHistory {
    /// `nil` if it is empty.
    var column: Data? {
        let bytes = bytes
        return bytes.isEmpty ? nil : Data(bytes)
    }

    init(column: Data?) { self.init(bytes: column ?? Data()) }
}

extension RecordDigest {
    /// - Parameter column: `nil` in rows of earlier versions.
    init?(column: Data?) {
        guard let column else { return nil }
        self.init(bytes: [UInt8](column))
    }
}
