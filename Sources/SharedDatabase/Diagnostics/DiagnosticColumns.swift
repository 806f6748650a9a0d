import CallStacks
import Ingest
import PostgreSQL

/// The rows of diagnostics to insert or update: an array for each column.
struct DiagnosticColumns {
    /// A diagnostic with the numbers of the images that it wants.
    struct Item {
        var diagnostic: DiagnosticRecord
        var day: Int32
        var wanted: WantedImageList
    }

    private let items: [Item]

    /// - Parameter items: In the order of their addresses, so that nodes do not deadlock.
    init(_ items: [Item]) { self.items = items }

    /// The columns that an update changes.
    private static let changing = [
        "kind", "status", "state", "held_until", "revision", "digest", "app", "version", "build",
        "exception_name", "exception_message", "culprit", "fingerprint", "frames", "symbolicated",
        "history",
    ]
    private static let keys = ["day", "entry", "position", "uid", "arrival"]
    private static let columns = (keys + changing).joined(separator: ", ")
    private static let types = [
        "int4", "int8", "int4", "bytea", "int8", "text", "text", "int2", "int8", "int4", "bytea",
        "text", "text", "text", "text", "text", "text", "text", "int4", "int4", "bytea", "text",
        "text",
    ]
    /// The parameters as a table. Nested arrays must have equal lengths, so lists of images are
    /// texts.
    private static let source = """
        unnest(\(types.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")))
            AS new (\(columns), wanted, wanted_frames)
        """

    /// Inserts the diagnostics, and returns the addresses of the new ones.
    func insertion() throws -> Statement {
        try Statement(
            """
            INSERT INTO diagnostic (\(Self.columns), wanted, wanted_frames)
            SELECT \(Self.columns), wanted::int8[], wanted_frames::int4[] FROM \(Self.source)
            ON CONFLICT DO NOTHING RETURNING entry, position
            """, parameters, limit: .large)
    }

    /// Updates everything except the identifier and the arrival.
    func update() throws -> Statement {
        let changes = Self.changing.map { "\($0) = new.\($0)" }.joined(separator: ", ")
        return try Statement(
            """
            UPDATE diagnostic d SET \(changes), wanted = new.wanted::int8[],
                wanted_frames = new.wanted_frames::int4[]
            FROM \(Self.source)
            WHERE d.entry = new.entry AND d.position = new.position AND d.day = new.day
                AND d.entry = ANY ($2)
            """, parameters)
    }

    private func names(_ property: (DiagnosticRecord) -> String?) -> Parameter {
        .value(items.map { property($0.diagnostic)?.asKey }, .nullableArray(of: .text))
    }

    private func texts(_ property: (DiagnosticRecord) -> String?) -> Parameter {
        .value(items.map { property($0.diagnostic)?.withoutNUL }, .nullableArray(of: .text))
    }

    private func numbers(_ property: (DiagnosticRecord) -> Int) -> Parameter {
        .value(items.map { Int32(clamping: property($0.diagnostic)) }, .array(of: .int4))
    }

    private func lists(_ property: (WantedImageList.Item) -> Int64) -> Parameter {
        .value(
            items.map { item in
                "{\(item.wanted.items.map { "\(property($0))" }.joined(separator: ","))}"
            }, .array(of: .text))
    }

    private var parameters: [Parameter] {
        [
            .value(items.map(\.day), .array(of: .int4)),
            .value(items.map(\.diagnostic.address.entry), .array(of: .int8)),
            numbers(\.address.position),
            .value(items.map { Array($0.diagnostic.uid.utf8) }, .array(of: .bytea)),
            .value(items.map(\.diagnostic.arrival.rawValue), .array(of: .int8)),
            names(\.kind.rawValue), names(\.status.rawValue),
            .value(items.map { Int16($0.diagnostic.state.rawValue) }, .array(of: .int2)),
            .value(items.map(\.diagnostic.heldUntil?.rawValue), .nullableArray(of: .int8)),
            numbers(\.revision),
            .value(items.map(\.diagnostic.digest?.bytes), .nullableArray(of: .bytea)),
            names { $0.app?.nonEmpty }, names { $0.version?.nonEmpty }, names(\.build),
            texts(\.exceptionName), texts(\.exceptionMessage), texts(\.culprit),
            names(\.fingerprint), numbers(\.frameCount), numbers(\.symbolicatedFrameCount),
            .value(items.map(\.diagnostic.history.column), .nullableArray(of: .bytea)),
            lists(\.image), lists { Int64($0.frameCount) },
        ]
    }
}

extension RevisionHistory {
    /// `nil` if it is empty.
    var column: [UInt8]? {
        let bytes = bytes
        return bytes.isEmpty ? nil : bytes
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
