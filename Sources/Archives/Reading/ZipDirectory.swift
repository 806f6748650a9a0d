/// The directory at the end of a zip archive, for checks before unpacking: the number of entries,
/// and whether any is encrypted.
///
/// PKWARE, "APPNOTE.TXT", 4.3.12 to 4.3.16.
struct ZipDirectory {
    private(set) var entryCount = 0
    private(set) var hasEncryptedEntry = false

    /// Returns `nil` if the archive has no valid directory, for instance because it is truncated.
    ///
    /// - Parameter countLimit: Counting stops one past it.
    init?(of file: ArchiveBytes, countLimit: Int) throws(ArchiveError.Reason) {
        guard let end = try ZipEnd(of: file) else { return nil }
        var position = end.directoryOffset
        var window = FileWindow(file)
        while entryCount <= countLimit {
            let header = try window.bytes(at: position, count: Self.headerLength)
            guard header.starts(with: Self.signature), header.count == Self.headerLength
            else { break }
            entryCount += 1
            if header.number(at: 8, size: 2) & 1 != 0 { hasEncryptedEntry = true }
            let lengths = [28, 30, 32].map { header.number(at: $0, size: 2) }
            position += Int64(Self.headerLength) + lengths.reduce(0, +)
        }
        let isAtEnd = try window.bytes(at: position, count: 2).starts(with: [0x50, 0x4b])
        // Only an empty archive has no entries at the position in its end record.
        guard entryCount > 0 || end.declaredCount == 0, isAtEnd else { return nil }
    }

    private static let signature: [UInt8] = [0x50, 0x4b, 0x01, 0x02]
    private static let headerLength = 46
}

/// The end record of a zip archive, which has the position of the directory.
private struct ZipEnd {
    let directoryOffset: Int64
    let declaredCount: Int64

    private static let length = 22
    /// The size of the tail to search for the record, which a comment of up to 65,535 bytes may
    /// follow.
    private static let searchLength = length + 65_535

    init?(of file: ArchiveBytes) throws(ArchiveError.Reason) {
        let tailStart = max(0, file.count - Int64(Self.searchLength))
        let tail = try file.read(at: tailStart, count: Self.searchLength)
        let offsets = stride(from: tail.count - Self.length, through: 0, by: -1)
        guard
            let offset = offsets.first(where: {
                tail[$0...].starts(with: [0x50, 0x4b, 0x05, 0x06])
            })
        else { return nil }
        let record = Array(tail[offset...])
        let large = try Self.zip64Record(of: file, endAt: tailStart + Int64(offset))
        declaredCount = large?.number(at: 32, size: 8) ?? record.number(at: 10, size: 2)
        directoryOffset = large?.number(at: 48, size: 8) ?? record.number(at: 16, size: 4)
        guard 0..<file.count ~= directoryOffset else { return nil }
    }

    /// Returns the record of a large archive, to which the 20 bytes before the regular one refer.
    private static func zip64Record(
        of file: ArchiveBytes, endAt end: Int64
    ) throws(ArchiveError.Reason) -> [UInt8]? {
        guard end >= 20 else { return nil }
        let locator = try file.read(at: end - 20, count: 20)
        guard locator.starts(with: [0x50, 0x4b, 0x06, 0x07]) else { return nil }
        let offset = locator.number(at: 8, size: 8)
        guard 0..<file.count ~= offset else { return nil }
        let record = try file.read(at: offset, count: 56)
        let isRecord = record.count == 56 && record.starts(with: [0x50, 0x4b, 0x06, 0x06])
        return isRecord ? record : nil
    }
}

/// A buffer over a file that is read sequentially in small steps.
private struct FileWindow {
    private let file: ArchiveBytes
    private var start: Int64 = 0
    private var window: [UInt8] = []

    init(_ file: ArchiveBytes) { self.file = file }

    /// Returns the bytes at an offset; fewer than `count` at the end of the file.
    mutating func bytes(
        at offset: Int64, count: Int
    ) throws(ArchiveError.Reason) -> ArraySlice<UInt8> {
        if offset < start || offset + Int64(count) > start + Int64(window.count) {
            start = offset
            window = try file.read(at: offset, count: 1 << 16)
        }
        return window.dropFirst(Int(offset - start)).prefix(count)
    }
}

extension Collection<UInt8> where Index == Int {
    /// Reads a little-endian number. One of 8 bytes that exceeds `Int64` becomes negative.
    fileprivate func number(at offset: Int, size: Int) -> Int64 {
        let first = startIndex + offset
        let value = (0..<size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(self[first + $1]) }
        return Int64(bitPattern: value)
    }
}
