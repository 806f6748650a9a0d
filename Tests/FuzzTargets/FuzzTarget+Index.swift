import ByteReading
import CallStacks
import IndexSupport
import SymbolIndexes

extension FuzzTarget {
    /// Reads the input unchanged, and once more with a header that fits it.
    func readIndex(_ input: [UInt8]) {
        readAnswers(input)
        readAnswers(RepairedIndex(input).bytes)
    }

    /// Reads results. Any lookup in a damaged index may throw.
    private func readAnswers(_ bytes: [UInt8]) {
        guard let index = try? SymbolIndex(FileBytes(bytes)) else { return }
        let ends = (0..<UInt64.bitWidth).map { UInt64(1) << UInt64($0) } + [0, .max]
        let near = stride(from: UInt64(0), to: 1 << 16, by: 331)
        for offset in ends + near {
            _ = try? index.frames(at: ImageOffset(offset))
            for depth in 0..<3 { _ = try? index.nearestLine(at: ImageOffset(offset), depth: depth) }
        }
        for number in [0, 1, 7, 8, .max] as [UInt32] {
            _ = try? index.name(IndexedName(rawValue: number))
            _ = try? index.file(IndexedFile(rawValue: number))
        }
        _ = try? index.notes()
        try? index.verify()
        var ink = Ink()
        try? index.dump(to: &ink)
    }
}

/// An index with correct lengths and checksums, which would otherwise reveal all damage. A fuzzer
/// cannot guess a checksum; an attacker can write it.
struct RepairedIndex {
    private(set) var bytes: [UInt8]

    private static let headerSize = 512
    private static let length = 16
    private static let checksum = 24
    /// The position of the offset and length of the last section.
    private static let checksumsOffset = 336
    private static let checksumsLength = 344
    private static let chunkSize = 1024

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard bytes.count >= Self.headerSize else { return }
        let offset = (0..<8).reversed().reduce(UInt64(0)) {
            $0 << 8 | UInt64(bytes[Self.checksumsOffset + $1])
        }
        let end = Int(min(max(offset, UInt64(Self.headerSize)), UInt64(bytes.count)))
        self.bytes.removeSubrange(end...)
        for place in stride(from: Self.headerSize, to: end, by: Self.chunkSize) {
            let chunk = bytes[place..<min(place + Self.chunkSize, end)]
            let checksum = CRC32C.of(Array(chunk).span)
            self.bytes += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
        }
        put(UInt64(self.bytes.count), at: Self.length, size: 8)
        put(UInt64(self.bytes.count - end), at: Self.checksumsLength, size: 8)
        put(0, at: Self.checksum, size: 4)
        put(UInt64(headerChecksum), at: Self.checksum, size: 4)
    }

    private mutating func put(_ number: UInt64, at place: Int, size: Int) {
        for index in 0..<size {
            bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index))
        }
    }

    /// CRC-32C by its definition, bit by bit.
    private var headerChecksum: UInt32 {
        ~bytes[..<Self.headerSize].reduce(~0) { state, byte in
            (0..<8).reduce(state ^ UInt32(byte)) { state, _ in
                state >> 1 ^ (state & 1 == 1 ? 0x82f6_3b78 : 0)
            }
        }
    }
}
