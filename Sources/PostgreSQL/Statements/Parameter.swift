/// A value for a placeholder of a statement: `$1` is the first one.
public struct Parameter {
    let type: UInt32
    /// Writes the value, or `nil` for null.
    let write: ((inout ValueWriter) throws(ValueProblem) -> Void)?

    public static func value<Value>(_ value: Value, _ type: ColumnType<Value>) -> Self {
        Self(type: type.oid) { writer throws(ValueProblem) in try type.write(value, &writer) }
    }

    /// - Parameter value: A value, or `nil` for null.
    public static func optional<Value>(_ value: Value?, _ type: ColumnType<Value>) -> Self {
        value.map { .value($0, type) } ?? Self(type: type.oid, write: nil)
    }
}
