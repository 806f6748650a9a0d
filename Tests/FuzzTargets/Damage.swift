/// Kinds of accidental and deliberate damage to files.
public enum Damage: CaseIterable, Sendable {
    /// A missing end.
    case truncation
    /// Random bytes at the start, where headers and load commands are.
    case header
    /// An extreme 32-bit number at the start.
    case extremeNumber
    /// Flipped bits anywhere.
    case bits
    /// A run of one byte: zeros, or the bytes of an endless LEB128 number.
    case run
    /// A piece of the file written over another one.
    case splice

    /// The number of bytes that count as the header.
    private static let headerSize = 4_096

    /// Returns `bytes` with this kind of damage.
    public func damaged(
        _ bytes: [UInt8], using numbers: inout some RandomNumberGenerator
    ) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        let place = Int.random(in: bytes.indices, using: &numbers)
        let headerPlace = Int.random(
            in: 0..<min(bytes.count, Self.headerSize), using: &numbers)
        switch self {
        case .truncation: bytes.removeSubrange(place...)
        case .header:
            for _ in 0..<Int.random(in: 1..<20, using: &numbers) {
                let place = Int.random(in: 0..<min(bytes.count, Self.headerSize), using: &numbers)
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
        case .extremeNumber: Self.putExtreme(at: headerPlace & ~3, in: &bytes, using: &numbers)
        case .bits:
            for _ in 0..<Int.random(in: 1..<64, using: &numbers) {
                let place = Int.random(in: bytes.indices, using: &numbers)
                bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &numbers)
            }
        case .run:
            let end = min(place + Int.random(in: 1..<512, using: &numbers), bytes.count)
            let byte = ([0, 0x80, 0xff] as [UInt8]).randomElement(using: &numbers) ?? 0
            for index in place..<end { bytes[index] = byte }
        case .splice:
            let end = min(headerPlace + Int.random(in: 1..<2_048, using: &numbers), bytes.count)
            let piece = Array(bytes[headerPlace..<end].prefix(bytes.count - place))
            bytes.replaceSubrange(place..<place + piece.count, with: piece)
        }
        return bytes
    }

    private static let extremes: [UInt32] = [
        0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff,
    ]

    private static func putExtreme(
        at place: Int, in bytes: inout [UInt8], using numbers: inout some RandomNumberGenerator
    ) {
        let number = extremes.randomElement(using: &numbers) ?? 0
        for index in 0..<min(4, bytes.count - place) {
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index))
        }
    }
}
