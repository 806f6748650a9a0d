import ByteReading
import CallStacks
import MachO

/// The local symbols that the cache builder moved out of the images
/// (`dyld_cache_local_symbols_info`), in a `.symbols` file or, until iOS 14, in the cache itself.
///
/// Addresses are final link addresses. Data symbols are included.
struct MovedSymbols: Sendable {
    private let chunk: FileBytes
    private let names: FileBytes
    private let symbolsOffset: UInt64
    private let symbolCount: UInt64
    /// The symbols of each image, by the key of its header's position.
    private let ranges: [UInt64: Range<UInt64>]
    /// The keys of images whose symbols overlap those of another image.
    private let overlapping: Set<UInt64>
    /// Whether keys are distances from the first mapping. In older caches they are file offsets.
    let isKeyedByAddress: Bool

    /// - Throws: `ReadingError` if tables exceed the file.
    init(in file: CacheFile, isKeyedByAddress: Bool) throws(ReadingError) {
        let table = file.header.localSymbols
        self.isKeyedByAddress = isKeyedByAddress
        chunk = try file.bytes.slice(
            at: table.offset, count: table.count, subject: "local symbols of the cache")
        var cursor = ByteCursor(chunk)
        symbolsOffset = UInt64(try cursor.number(UInt32.self))
        symbolCount = UInt64(try cursor.number(UInt32.self))
        let namesOffset = UInt64(try cursor.number(UInt32.self))
        let namesSize = UInt64(try cursor.number(UInt32.self))
        names = try chunk.slice(at: namesOffset, count: namesSize, subject: "local symbol names")
        let entriesOffset = UInt64(try cursor.number(UInt32.self))
        let entryCount = UInt64(try cursor.number(UInt32.self))
        try cursor.jump(to: entriesOffset)
        ranges = try Self.ranges(entryCount, isWide: isKeyedByAddress, from: &cursor)
        overlapping = Self.overlapping(ranges, symbolCount)
    }

    private static func ranges(
        _ entryCount: UInt64, isWide: Bool, from cursor: inout ByteCursor
    ) throws(ReadingError) -> [UInt64: Range<UInt64>] {
        guard entryCount <= ImageTables.imageCountLimit else {
            throw cursor.error(.malformed("has entries for \(entryCount) images"))
        }
        var ranges: [UInt64: Range<UInt64>] = [:]
        for _ in 0..<entryCount {
            let key = try cursor.unsigned(size: isWide ? 8 : 4)
            let start = UInt64(try cursor.number(UInt32.self))
            let count = UInt64(try cursor.number(UInt32.self))
            if ranges[key] == nil { ranges[key] = start..<start + count }
        }
        return ranges
    }

    /// Returns the images whose symbols extend into those of the next one. Without them, each
    /// symbol belongs to one image, which bounds the work for all images.
    private static func overlapping(
        _ ranges: [UInt64: Range<UInt64>], _ symbolCount: UInt64
    ) -> Set<UInt64> {
        let ordered = ranges.filter { !$0.value.isEmpty && $0.value.upperBound <= symbolCount }
            .sorted { ($0.value.lowerBound, $0.key) < ($1.value.lowerBound, $1.key) }
        return Set(
            zip(ordered, ordered.dropFirst()).compactMap { range, next in
                range.value.upperBound > next.value.lowerBound ? range.key : nil
            })
    }

    /// The number of symbols of all images.
    var count: UInt64 { symbolCount }

    /// Returns the symbols of the image with a key, or `nil` if it has no entry.
    func symbols(of key: UInt64, _ header: MachOHeader) throws(ReadingError) -> MachOSymbols? {
        guard let range = ranges[key] else { return nil }
        guard range.upperBound <= symbolCount else {
            throw ReadingError(
                .malformed("symbols end at number \(range.upperBound) of \(symbolCount)"),
                in: chunk.subject, at: symbolsOffset)
        }
        guard !overlapping.contains(key) else {
            throw ReadingError(
                .malformed("symbols up to number \(range.upperBound) are those of another image"),
                in: chunk.subject, at: symbolsOffset)
        }
        let entrySize = MachOSymbols.entrySize(header)
        let entries = try chunk.slice(
            at: symbolsOffset + range.lowerBound * entrySize,
            count: UInt64(range.count) * entrySize, subject: "local symbols of the cache")
        return MachOSymbols(entries: entries, names: names, header: header)
    }

    /// Returns the position of an image's symbols in the table. Reading images by position is
    /// sequential.
    func position(of key: UInt64) -> UInt64 { ranges[key]?.lowerBound ?? 0 }
}
