/// The content of a field whose bytes must satisfy more than their wire type.
///
/// Wire types: https://protobuf.dev/programming-guides/encoding/#structure
enum FieldContent {
    /// A message of the given row of ``RequestFields``.
    case message(row: Int, isRepeated: Bool)
    /// UTF-8.
    case text
    /// A packed list of numbers of fixed size.
    case numbers(byteCount: Int)
    /// A packed list of numbers of variable size.
    case varints
}
