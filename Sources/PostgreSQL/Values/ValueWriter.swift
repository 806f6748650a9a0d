/// Writes values in PostgreSQL's binary format.
public struct ValueWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func append(contentsOf other: some Collection<UInt8>) {
        bytes.append(contentsOf: other)
    }

    /// Appends what `body` writes, after its length.
    mutating func appendSized(
        _ body: (inout ValueWriter) throws(ValueProblem) -> Void
    ) throws(ValueProblem) {
        let start = bytes.count
        append(Int32(0))
        try body(&self)
        guard let length = Int32(exactly: bytes.count - start - 4) else {
            throw ValueProblem("is larger than 2 GiB")
        }
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * Int32(index)))
        }
    }
}
