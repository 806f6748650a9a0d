import CallStacks
import Foundation
import GRDB
import Ingest

/// The update of a diagnostic that is sent again.
///
/// SQLite rewrites the rows of all indexes of a column that it updates, even if the value stays the
/// same. So columns with indexes that rarely change are updated only if they do.
extension DiagnosticTable {
    /// Updates everything except the identifier and the arrival.
    ///
    /// - Returns: The images that it already waits for, or `nil` if there is no diagnostic at its
    ///   address.
    func update(
        _ diagnostic: DiagnosticRecord, _ wanted: WantedImageList,
        counting groups: inout GroupCounts
    ) throws -> WantedImageList? {
        let address = diagnostic.address
        guard
            let found = try db.first(
                """
                SELECT wanted, \(CountedDiagnostic.columns) FROM diagnostic
                WHERE entry = ? AND position = ?
                """, [address.entry, address.position])
        else { return nil }
        var counted = diagnostic
        counted.arrival = UnixTime(rawValue: found["arrival"])
        groups.remove(CountedDiagnostic(found))
        groups.add(counted)
        let last = try WantedImageList(text: found["wanted"])
        try MissingImageTable(db).remove(of: address, last.without(wanted))
        try updateContent(diagnostic, wanted)
        try updateRarelyChanged(diagnostic)
        return try MissingImageTable(db).awaited(by: address, last)
    }

    /// Updates the columns that usually change with the symbols.
    private func updateContent(
        _ diagnostic: DiagnosticRecord, _ wanted: WantedImageList
    ) throws {
        try db.run(
            """
            UPDATE diagnostic SET
                status = ?, revision = ?, digest = ?, history = ?, build = ?,
                exception_name = ?, exception_message = ?, culprit = ?, fingerprint = ?,
                frames = ?, symbolicated = ?, wanted = ?
            WHERE entry = ? AND position = ?
            """,
            [
                diagnostic.status.rawValue, diagnostic.revision,
                diagnostic.digest.map { Data($0.bytes) }, diagnostic.history.column,
                diagnostic.build, diagnostic.exceptionName, diagnostic.exceptionMessage,
                diagnostic.culprit, diagnostic.fingerprint, diagnostic.frameCount,
                diagnostic.symbolicatedFrameCount, wanted.text, diagnostic.address.entry,
                diagnostic.address.position,
            ])
    }

    /// Updates the columns that rarely change, if one of them does.
    private func updateRarelyChanged(_ diagnostic: DiagnosticRecord) throws {
        try db.run(
            """
            UPDATE diagnostic SET
                kind = ?1, state = ?2, held_until = ?3, app = nullif(?4, ''),
                version = nullif(?5, '')
            WHERE entry = ?6 AND position = ?7 AND (kind, state, held_until, app, version)
                IS NOT (?1, ?2, ?3, nullif(?4, ''), nullif(?5, ''))
            """,
            [
                diagnostic.kind.rawValue, diagnostic.state.rawValue,
                diagnostic.heldUntil?.rawValue, diagnostic.app, diagnostic.version,
                diagnostic.address.entry, diagnostic.address.position,
            ])
    }
}
