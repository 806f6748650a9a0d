import CallStacks
import Decompression
import Ingest
import Problems
import SharedDatabase

/// An entry in an object: a skippable zstd frame with its properties, and a frame with its body.
///
/// So `zstd -d` writes the bodies of all entries of an object. The properties, with little-endian
/// numbers:
///
///     version      1 byte: 1
///     signal       1 byte
///     number       8 bytes
///     arrival      8 bytes: milliseconds since 1970
///     size         4 bytes: the size of the body
///     key          16 bytes
///     app          1 byte: 1 if the sender's token is bound to one, which follows in UTF-8
///
/// See RFC 8878, section 3.1.2, for skippable frames.
enum ArchiveRecord {
    private static let magic: UInt32 = 0x184d_2a50
    private static let version: UInt8 = 1
    /// The compression level for bodies that are stored uncompressed because they are small.
    private static let level = 1

    /// - Throws: `CompressionError`.
    static func bytes(of entry: StoredEntry) throws -> [UInt8] {
        var properties: [UInt8] = [version, UInt8(truncatingIfNeeded: entry.kind.rawValue)]
        properties.append(littleEndian: UInt64(bitPattern: entry.number))
        properties.append(littleEndian: UInt64(bitPattern: entry.arrival.rawValue))
        properties.append(littleEndian: UInt32(entry.body.size))
        properties += entry.key.bytes
        properties.append(entry.app == nil ? 0 : 1)
        properties += Array((entry.app ?? "").utf8)
        var bytes: [UInt8] = []
        bytes.append(littleEndian: magic)
        bytes.append(littleEndian: UInt32(properties.count))
        bytes += properties
        switch entry.body.form {
        case .zstd: bytes += entry.body.bytes
        case .plain: bytes += try ZstdBlock(compressing: entry.body.bytes, level: level).bytes
        }
        return bytes
    }

    /// Returns the entry, decompressed.
    ///
    /// - Throws: `Problem` if the bytes are not those of a record.
    static func entry(in bytes: ArraySlice<UInt8>) throws -> JournalEntry {
        var rest = bytes
        guard rest.popLittleEndian(UInt32.self) == magic,
            let count = rest.popLittleEndian(UInt32.self), rest.count >= Int(count)
        else { throw damaged }
        var properties = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        guard properties.popLittleEndian(UInt8.self) == version,
            let kind = properties.popLittleEndian(UInt8.self).flatMap({
                EntryKind(rawValue: Int($0))
            }),
            let number = properties.popLittleEndian(UInt64.self),
            let arrival = properties.popLittleEndian(UInt64.self),
            let size = properties.popLittleEndian(UInt32.self),
            let key = EntryKey(bytes: Array(properties.prefix(EntryKey.length)))
        else { throw damaged }
        properties = properties.dropFirst(EntryKey.length)
        guard let hasApp = properties.popLittleEndian(UInt8.self) else { throw damaged }
        let body = try PackedBody(
            form: PackedBody.Form.zstd.rawValue, size: Int(size), bytes: Array(rest))
        return JournalEntry(
            number: Int64(bitPattern: number),
            draft: JournalDraft(
                key: key, arrival: UnixTime(rawValue: Int64(bitPattern: arrival)), kind: kind,
                body: try body.body(),
                app: hasApp == 1 ? String(decoding: properties, as: UTF8.self) : nil))
    }

    private static let damaged = Problem("archived entry", detail: "is damaged")
}

extension [UInt8] {
    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the start, or returns `nil` if there are too few bytes.
    fileprivate mutating func popLittleEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) -> Number? {
        let size = Number.bitWidth / 8
        guard count >= size else { return nil }
        let number = prefix(size).reversed().reduce(Number(0)) { ($0 << 7) << 1 | Number($1) }
        self = dropFirst(size)
        return number
    }
}
