import CallStacks
import Ingest
import PostgreSQL
import SymbolIntake

/// A diagnostic as stored, with the numbers of the images that it waits for.
struct StoredDiagnostic {
    var diagnostic: DiagnosticRecord
    let day: Int32
    /// In its order, without those that have awakened it.
    let wanted: WantedImageList

    /// The columns that ``init(_:)`` reads.
    static let columns = """
        day, entry, position, uid, arrival, kind, status, state, held_until, revision, digest, app,
        version, build, exception_name, exception_message, culprit, fingerprint, frames,
        symbolicated, wanted, wanted_frames, history
        """

    init(_ row: Row) throws {
        guard let kind = DiagnosticKind(rawValue: try row.value(5, .text)),
            let status = SymbolicatedDiagnostic.Status(rawValue: try row.value(6, .text)),
            let state = DiagnosticRecord.State(rawValue: Int(try row.value(7, .int2)))
        else { throw JournalError.damage("a diagnostic") }
        day = try row.value(0, .int4)
        var diagnostic = DiagnosticRecord(
            uid: String(decoding: try row.value(3, .bytea), as: UTF8.self),
            address: RecordAddress(
                entry: try row.value(1, .int8), position: Int(try row.value(2, .int4))),
            arrival: UnixTime(rawValue: try row.value(4, .int8)), kind: kind, status: status,
            fingerprint: try row.value(17, .text))
        diagnostic.state = state
        diagnostic.heldUntil = try row.optional(8, .int8).map(UnixTime.init)
        diagnostic.revision = Int(try row.value(9, .int4))
        diagnostic.digest = try row.optional(10, .bytea).flatMap(RecordDigest.init)
        diagnostic.history = RevisionHistory(bytes: try row.optional(22, .bytea) ?? [])
        diagnostic.app = try row.optional(11, .text)
        diagnostic.version = try row.optional(12, .text)
        diagnostic.build = try row.optional(13, .text)
        diagnostic.exceptionName = try row.optional(14, .text)
        diagnostic.exceptionMessage = try row.optional(15, .text)
        diagnostic.culprit = try row.optional(16, .text)
        diagnostic.frameCount = Int(try row.value(18, .int4))
        diagnostic.symbolicatedFrameCount = Int(try row.value(19, .int4))
        self.diagnostic = diagnostic
        wanted = WantedImageList(
            zip(
                try row.value(20, .array(of: .int8)), try row.value(21, .array(of: .int4))
            ).filter { $0.0 != 0 }.map { .init(image: $0, frameCount: Int($1)) })
    }

    /// Adds the images that diagnostics wait for, without those whose waits are suspended.
    static func complete(
        _ stored: [Self], _ transaction: Transaction
    ) async throws -> [DiagnosticRecord] {
        let ids = Set(stored.flatMap { $0.wanted.items.map(\.image) })
        guard !ids.isEmpty else { return stored.map(\.diagnostic) }
        let rows = try await transaction.rows(
            """
            SELECT id, image, name, architecture, in_app, app FROM missing_image
            WHERE id = ANY ($1) AND NOT stored
            """, [.value(ids.sorted(), .array(of: .int8))])
        var images: [Int64: WantedImage] = [:]
        for row in rows {
            images[try row.value(0, .int8)] = WantedImage(
                image: try ImageID(column: try row.value(1, .bytea)),
                name: try row.optional(2, .text), architecture: try row.optional(3, .text),
                isInApp: try row.value(4, .bool), frameCount: 0,
                app: SymbolOwner(column: try row.value(5, .text)).app)
        }
        return stored.map { stored in
            var diagnostic = stored.diagnostic
            diagnostic.wanted = stored.wanted.items.compactMap { item in
                var image = images[item.image]
                image?.frameCount = item.frameCount
                return image
            }
            return diagnostic
        }
    }
}
