/// Reads a value in PostgreSQL's binary format, with bounds checks.
public struct ValueReader: Sendable {
    private(set) var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Returns the next number in big-endian order.
    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(ValueProblem) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func take(_ count: Int) throws(ValueProblem) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count else { throw ValueProblem("is truncated") }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func takeAll() -> ArraySlice<UInt8> {
        defer { bytes = [] }
        return bytes
    }

    func expectEnd() throws(ValueProblem) {
        guard bytes.isEmpty else { throw ValueProblem("has \(bytes.count) extra bytes") }
    }
}
