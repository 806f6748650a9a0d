import ByteReading
import CallStacks

/// Offsets from the start of an image, read from a file of little-endian 64-bit numbers.
struct OffsetList {
    let offsets: [ImageOffset]

    init(path: String) throws {
        let bytes = try MappedBytes.of(path: path)
        offsets = try stride(from: UInt64(0), to: UInt64(bytes.count / 8 * 8), by: 8).map {
            ImageOffset(try bytes.number(UInt64.self, at: $0))
        }
        guard !offsets.isEmpty else { throw MeasureError("\(path): holds no offset") }
    }
}
