/// A PostgreSQL type and its representation in Swift, such as ``int8`` for `Int64`.
///
/// Values are sent in binary. A result must be read with exactly the type that the server reports;
/// there are no conversions, so `count(*)` is an ``int8`` and never an ``int4``.
public struct ColumnType<Value>: Sendable {
    /// The name in SQL.
    let name: String
    /// The type's OID in the server's catalogue.
    let oid: UInt32
    /// The OID of the array type, or `nil` if this is an array.
    let arrayOID: UInt32?
    /// The OIDs of other types with the same format.
    var aliases: Set<UInt32> = []
    let write: @Sendable (Value, inout ValueWriter) throws(ValueProblem) -> Void
    let read: @Sendable (inout ValueReader) throws(ValueProblem) -> Value

    /// Returns a value from all of its bytes.
    func value(of bytes: ArraySlice<UInt8>) throws(ValueProblem) -> Value {
        var reader = ValueReader(bytes)
        let value = try read(&reader)
        try reader.expectEnd()
        return value
    }
}
