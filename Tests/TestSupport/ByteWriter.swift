/// Composes a file from numbers and texts.
public struct ByteWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private let bigEndian: Bool

    public init(bigEndian: Bool = false) { self.bigEndian = bigEndian }

    public mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

    public mutating func add(_ number: some FixedWidthInteger) {
        let ordered = bigEndian ? number.bigEndian : number.littleEndian
        unsafe withUnsafeBytes(of: ordered) { unsafe bytes += $0 }
    }

    /// Appends a number in a field of 4 or 8 bytes.
    public mutating func add(word: UInt64, is64Bit: Bool) {
        if is64Bit { add(word) } else { add(UInt32(truncatingIfNeeded: word)) }
    }

    /// Appends a text in a fixed-size field, padded with zeros or truncated.
    public mutating func add(_ text: String, field size: Int) {
        let cut = text.utf8.prefix(size)
        bytes += cut
        bytes += [UInt8](repeating: 0, count: size - cut.count)
    }

    /// Appends zeros up to the next multiple of `boundary`.
    public mutating func align(to boundary: Int) {
        while bytes.count % boundary != 0 { bytes.append(0) }
    }
}
