import CallStacks
import Decompression
import Ingest
import PostgreSQL

/// A dead letter whose body is still compressed.
struct StoredLetter {
    let withoutBody: DeadLetter
    let body: PackedBody

    /// The columns of a row of the table `d`.
    static let columns = """
        d.id, d.exporter, d.signal, d.refusal, d.reason, d.records, d.rejected, d.size, d.form, d.body
        """

    init(_ row: Row) throws {
        let id = try row.value(0, .int8)
        withoutBody = DeadLetter(
            id: id, exporter: try row.value(1, .text),
            signal: try Self.signal(try row.value(2, .int2), id: id),
            refusal: UnixTime(rawValue: try row.value(3, .int8)), reason: try row.value(4, .text),
            recordCount: Int(try row.value(5, .int4)),
            rejectedCount: try row.optional(6, .int4).map { Int($0) }, body: [])
        body = try PackedBody(
            form: Int(try row.value(8, .int2)), size: Int(try row.value(7, .int4)),
            bytes: try row.value(9, .bytea))
    }

    func letter() throws -> DeadLetter {
        var letter = withoutBody
        letter.body = try body.body()
        return letter
    }

    static func signal(_ number: Int16, id: Int64) throws -> Signal {
        guard let signal = Signal(rawValue: Int(number)) else {
            throw JournalError.damage("dead letter \(id)")
        }
        return signal
    }
}
