import CallStacks
import Decompression
public import Ingest
import PostgreSQL

extension SharedDatabase: SampledStackArchive {
    public func sampledStackIDs(_ query: FlameQuery) async throws(JournalError) -> [Int64] {
        let list = SampledStackListStatement(query)
        return try await asJournal {
            try await read(list.text, list.parameters).map { try $0.value(0, .int8) }
        }
    }

    public func sampledStacks(_ ids: [Int64]) async throws(JournalError) -> [Int64: [UInt8]] {
        try await asJournal {
            let rows = try await read(
                "SELECT id, form, size, stack FROM sampled_stack WHERE id = ANY ($1)",
                [.value(ids, .array(of: .int8))], limit: .large)
            var stacks: [Int64: [UInt8]] = [:]
            for row in rows {
                let body = try PackedBody(
                    form: Int(try row.value(1, .int2)), size: Int(try row.value(2, .int4)),
                    bytes: try row.value(3, .bytea))
                stacks[try row.value(0, .int8)] = try body.body()
            }
            return stacks
        }
    }

    static let versionKindText = """
        SELECT coalesce(sum(part.diagnostics), 0)::int8
        FROM group_version part JOIN diagnostic_group own ON own.id = part."group"
        WHERE part.app = $1 AND part.version = $2 AND own.app = $1 AND own.kind = $3
            AND own.diagnostics > 0
        """

    public func diagnosticCount(_ query: FlameQuery) async throws(JournalError) -> Int {
        try await summarised { transaction in
            let rows =
                switch query.subject {
                case .version(let version, let app, let kind):
                    try await transaction.rows(
                        Self.versionKindText,
                        [
                            .value(app.asKey, .text), .value(version.asKey, .text),
                            .value(kind.rawValue, .text),
                        ])
                case .group(let fingerprint, let app):
                    try await transaction.rows(
                        """
                        SELECT diagnostics FROM diagnostic_group
                        WHERE fingerprint = $1 AND app = $2
                        """, [.value(fingerprint.asKey, .text), .value(app?.asKey ?? "", .text)])
                }
            return Int(try rows.first?.value(0, .int8) ?? 0)
        }
    }
}

/// The statement of a list of stacks, newest first. The limit of the inner query makes the planner
/// look up stacks one by one, until there are enough.
struct SampledStackListStatement {
    let text: String
    let parameters: [Parameter]

    init(_ query: FlameQuery) {
        let condition: String
        let subject: [Parameter]
        switch query.subject {
        case .version(let version, let app, let kind):
            // The last condition is that of the partial index.
            condition = "app = $1 AND kind = $2 AND version = $3 AND \(Schema.isSampled)"
            subject = [
                .value(app.asKey, .text), .value(kind.rawValue, .text),
                .value(version.asKey, .text),
            ]
        case .group(let fingerprint, let app):
            condition = "fingerprint = $1 AND app IS NOT DISTINCT FROM $2"
            subject = [
                .value(fingerprint.asKey, .text),
                .optional((app ?? "").isEmpty ? nil : app?.asKey, .text),
            ]
        }
        text = """
            SELECT stack.id FROM diagnostic one CROSS JOIN LATERAL (
                SELECT id FROM sampled_stack s
                WHERE s.entry = one.entry AND s.position = one.position AND s.day = one.day
                LIMIT 1
            ) AS stack WHERE \(condition)
            ORDER BY one.arrival DESC, one.entry DESC, one.position DESC
            LIMIT $\(subject.count + 1)
            """
        parameters = subject + [.value(Int64(query.limit), .int8)]
    }
}
