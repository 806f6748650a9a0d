import PostgreSQL

/// An object in a bucket, as described by its row. The row determines whether the object is used,
/// and what it must contain.
public struct StoredObject: Hashable, Sendable {
    /// The object's name, which is never reused.
    public let name: String
    /// The size in bytes.
    public let byteCount: Int64
    /// The SHA-256 of the content, 32 bytes.
    public let sha256: [UInt8]

    public init(name: String, byteCount: Int64, sha256: [UInt8]) {
        self.name = name
        self.byteCount = byteCount
        self.sha256 = sha256
    }
}

extension StoredObject {
    /// The columns that ``init(_:)`` of a row reads.
    static let columns = "object, bytes, sha256"

    init(_ row: Row) throws {
        self.init(
            name: try row.value(0, .text), byteCount: try row.value(1, .int8),
            sha256: try row.value(2, .bytea))
    }

    /// The values of ``columns``.
    var parameters: [Parameter] {
        [.value(name, .text), .value(byteCount, .int8), .value(sha256, .bytea)]
    }
}

extension Duration {
    /// The seconds, for an interval.
    var parameter: Parameter { .value(self / .seconds(1), .float8) }
}
