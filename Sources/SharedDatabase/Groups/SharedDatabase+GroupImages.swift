public import CallStacks
public import Ingest
import PostgreSQL

/// The groups of the diagnostics that wait for an image, or have frames in it.
extension SharedDatabase {
    /// The maximum numbers of runs and of diagnostics that are examined, and of groups that are
    /// returned.
    private static let imageLimits = (runs: 1_000, diagnostics: 1_000, groups: 20)

    /// Selects the lists of diagnostics that wait for the image in `$1`, the newest first.
    static let listsText = """
        SELECT addresses FROM wait WHERE image = $1 ORDER BY run DESC LIMIT $2
        """

    public func groups(
        waitingFor image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        let keys = try await asJournal {
            try await pool.withTransaction(TransactionOptions(isReadOnly: true)) { transaction in
                try await self.keys(waitingFor: image, app: app, transaction)
            }
        }
        return try await groups(of: keys)
    }

    private func keys(
        waitingFor image: ImageID, app: String?, _ transaction: Transaction
    ) async throws -> [DiagnosticTallies.Group] {
        var counts: [DiagnosticTallies.Group: Int] = [:]
        let ids = try await transaction.rows(
            "SELECT id FROM missing_image WHERE image = $1 AND NOT stored",
            [.value(image.bytes, .bytea)])
        for id in ids {
            let id = try id.value(0, .int8)
            for row in try await waiting(for: id, app: app, transaction) {
                let group = DiagnosticTallies.Group(
                    app: try row.value(0, .text), fingerprint: try row.value(1, .text))
                counts[group, default: 0] += 1
            }
        }
        return counts.sorted {
            ($1.value, $0.key.app, $0.key.fingerprint) < ($0.value, $1.key.app, $1.key.fingerprint)
        }.prefix(Self.imageLimits.groups).map(\.key)
    }

    /// Returns the apps and fingerprints of the newest diagnostics that wait for an image.
    /// Diagnostics that were revised may not wait for it any more.
    private func waiting(
        for image: Int64, app: String?, _ transaction: Transaction
    ) async throws -> QueryResult {
        let lists = try await transaction.rows(
            Self.listsText,
            [.value(image, .int8), .value(Int64(Self.imageLimits.runs), .int8)])
        var addresses: [RecordAddress] = []
        for list in lists where addresses.count < Self.imageLimits.diagnostics {
            addresses += try PostingList.addresses(in: try list.value(0, .bytea)).reversed()
        }
        addresses = Array(addresses.prefix(Self.imageLimits.diagnostics))
        return try await transaction.rows(
            RunStorage.lookupText(
                columns: "coalesce(app, ''), fingerprint",
                end: "AND $3 = ANY (wanted) AND ($4 IS NULL OR app = $4)"),
            [
                .value(addresses.map(\.entry), .array(of: .int8)),
                .value(addresses.map { Int32(clamping: $0.position) }, .array(of: .int4)),
                .value(image, .int8), .optional(app?.asKey, .text),
            ])
    }

    /// Selects the groups with frames in an image. Images of removed diagnostics may remain for a
    /// while.
    static let usingText = """
        SELECT own.app, own.fingerprint FROM group_image part
        JOIN diagnostic_group own ON own.id = part."group"
        WHERE part.image = $1 AND ($2 IS NULL OR own.app = $2) AND own.diagnostics > 0
            AND part.arrival >= own.first_seen AND NOT EXISTS (
                SELECT 1 FROM group_image later
                WHERE later."group" = part."group" AND later.image = part.image
                    AND (later.arrival, later.entry, later.position)
                        > (part.arrival, part.entry, part.position))
        ORDER BY part.arrival DESC, part.entry DESC, part.position DESC LIMIT $3
        """

    public func groups(
        using image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        let keys = try await summarised { transaction in
            try await transaction.rows(
                Self.usingText,
                [
                    .value(image.bytes, .bytea), .optional(app?.asKey, .text),
                    .value(Int64(Self.imageLimits.groups), .int8),
                ]
            ).map {
                DiagnosticTallies.Group(
                    app: try $0.value(0, .text), fingerprint: try $0.value(1, .text))
            }
        }
        return try await groups(of: keys)
    }

    private func groups(
        of keys: [DiagnosticTallies.Group]
    ) async throws(JournalError) -> [DiagnosticGroup] {
        var found: [DiagnosticGroup] = []
        for key in keys {
            found += try await groups(fingerprint: key.fingerprint, app: key.app)
        }
        return found
    }
}
