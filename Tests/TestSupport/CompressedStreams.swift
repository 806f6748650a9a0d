import Foundation

/// Returns `bytes` as a zlib stream of stored blocks (RFC 1950, RFC 1951).
public func zlibStream(_ bytes: [UInt8]) -> [UInt8] {
    var stream = ByteWriter()
    stream.add([0x78, 0x01])
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(0xffff)
        rest = rest.dropFirst(0xffff)
        stream.add(rest.isEmpty ? 1 : 0 as UInt8)
        stream.add(UInt16(block.count))
        stream.add(~UInt16(block.count))
        stream.add(block)
    } while !rest.isEmpty
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
        low = (low + UInt32(byte)) % 65_521
        high = (high + low) % 65_521
    }
    stream.add((high << 16 | low).bigEndian)
    return stream.bytes
}

/// Returns fewer than 128 KiB of `bytes` as a zstd frame of one raw block (RFC 8878).
public func zstdStream(_ bytes: [UInt8]) -> [UInt8] {
    var stream = ByteWriter()
    stream.add(0xfd2f_b528 as UInt32)
    // A single segment, with the size in 4 bytes.
    stream.add(0xa0 as UInt8)
    stream.add(UInt32(bytes.count))
    let blockHeader = UInt32(bytes.count) << 3 | 1
    stream.add([
        UInt8(blockHeader & 0xff), UInt8(blockHeader >> 8 & 0xff), UInt8(blockHeader >> 16),
    ])
    stream.add(bytes)
    return stream.bytes
}

/// Returns the contents of a `.zdebug_…` section: `ZLIB`, the size, the stream.
public func zdebugSection(_ bytes: [UInt8], declaredSize: UInt64? = nil) -> [UInt8] {
    var section = ByteWriter(bigEndian: true)
    section.add("ZLIB".utf8)
    section.add(declaredSize ?? UInt64(bytes.count))
    section.add(zlibStream(bytes))
    return section.bytes
}

/// Returns `bytes` as `xz` compresses them.
public func xzStream(_ bytes: [UInt8], options: String = "") throws -> [UInt8] {
    let folder = try TestFolder()
    try folder.write(bytes, to: "plain")
    try shell("xz \(options) plain", in: folder.url)
    return [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("plain.xz")))
}

/// Returns an xz stream with another dictionary size in the header of its first block, as
/// ``xzStream(_:options:)`` writes it: one filter and no sizes (The .xz File Format, 3.1).
///
/// - Parameter size: The size as the format encodes it.
public func xzStream(_ stream: [UInt8], dictionarySize size: UInt8) -> [UInt8] {
    var stream = stream
    let header = 12..<24
    stream[header.lowerBound + 4] = size
    var checksum = ByteWriter()
    checksum.add(crc32(Array(stream[header.dropLast(4)])))
    stream.replaceSubrange(header.suffix(4), with: checksum.bytes)
    return stream
}
