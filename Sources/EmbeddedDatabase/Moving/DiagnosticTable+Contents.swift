import CallStacks
import Decompression
import Foundation
import GRDB
import Ingest

extension DiagnosticTable {
    /// Returns complete diagnostics in the order of their addresses.
    func moved(after last: RecordAddress, count: Int) throws -> [MovedDiagnostic] {
        try db.all(
            """
            SELECT * FROM diagnostic WHERE (entry, position) > (?, ?)
            ORDER BY entry, position LIMIT ?
            """, [last.entry, last.position, count]
        ).map(moved)
    }

    private func moved(_ row: Row) throws -> MovedDiagnostic {
        var record = try diagnostic(row)
        record.wanted = try MissingImageTable(db)
            .allWanted(by: record.address, WantedImageList(text: row["wanted"]))
        record.appImages = try appImages(of: record)
        record.sampledStacks = try sampledStacks(of: record.address)
        return MovedDiagnostic(
            record: record, marked: (row["marked"] as Int64?).map { UnixTime(rawValue: $0) },
            revisedBy: row["revised_by"])
    }

    /// Returns the images for which the diagnostic is the newest of its group.
    private func appImages(of record: DiagnosticRecord) throws -> Set<ImageID> {
        let rows = try db.all(
            """
            SELECT part.image FROM diagnostic_group AS own
            JOIN group_image AS part ON part."group" = own.id
            WHERE own.fingerprint = ? AND own.app = ? AND part.entry = ? AND part.position = ?
            """,
            [
                record.fingerprint, record.app ?? "", record.address.entry,
                record.address.position,
            ])
        return Set(try rows.map { try ImageID(column: $0[0]) })
    }

    private func sampledStacks(of address: RecordAddress) throws -> [UInt8]? {
        let row = try db.first(
            "SELECT form, size, stack FROM sampled_stack WHERE entry = ? AND position = ?",
            [address.entry, address.position])
        return try row.map { try PackedBody(form: $0[0], size: $0[1], data: $0[2]).unpacked() }
    }
}
