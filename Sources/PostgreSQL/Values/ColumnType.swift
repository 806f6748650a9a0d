/// A type of PostgreSQL and its values in Swift, such as ``int8`` for `Int64`.
///
/// Values travel in binary. A result is read with the type that the server says it has; there are
/// no conversions, so `count(*)` is an ``int8`` and never an ``int4``.
public struct ColumnType<Value>: Sendable {
    /// The name in SQL.
    let name: String
    /// The number in the server's catalogue.
    let oid: UInt32
    /// The number of the type's array, or `nil` for an array.
    let arrayOID: UInt32?
    /// Numbers of other types with the same format.
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
