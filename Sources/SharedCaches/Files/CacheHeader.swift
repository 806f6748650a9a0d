import ByteReading

/// The header of one file of a shared cache (`dyld_cache_header` of dyld's `dyld_cache_format.h`).
///
/// The format has no version number. The offset of the mappings is also the size of the header, and
/// a field exists if it ends within that size. A missing field reads as 0.
struct CacheHeader: Sendable {
    /// A table of records, or a range of bytes.
    struct Extent: Sendable {
        let offset: UInt64
        let count: UInt64
    }

    /// The size in bytes.
    let size: UInt64
    let mappingCount: UInt64
    let uuid: [UInt8]
    let kind: UInt64
    let images: Extent
    let imageTexts: Extent
    let subcaches: Extent
    /// The local symbols that the builder moved out of the images, or an empty extent if there are
    /// none.
    let localSymbols: Extent
    /// The UUID of the `.symbols` file, or `nil` if the cache has none.
    let symbolsFileUUID: [UInt8]?
    let platform: UInt32
    let isSimulator: Bool
    let systemVersion: UInt32

    init(_ file: FileBytes) throws(SharedCacheError.Reason) {
        guard CacheMagic.begins(file) else { throw .unrecognised }
        guard CacheMagic.isSupported(file) else { throw .unsupportedVersion }
        do throws(ReadingError) {
            let fields = try Fields(file)
            try self.init(fields)
        } catch { throw .reading(error) }
        guard size <= Self.sizeLimit else { throw .unsupportedHeader(size: UInt32(size)) }
        guard mappingCount <= Self.mappingCountLimit else {
            throw .tooMany("mappings", count: mappingCount, limit: Self.mappingCountLimit)
        }
    }

    private init(_ fields: Fields) throws(ReadingError) {
        size = fields.size
        mappingCount = try fields.number(UInt32.self, at: 0x14)
        uuid = try fields.uuid(at: 0x58)
        kind = try fields.number(UInt64.self, at: 0x68)
        // The table of images moved when iOS 15 made the header longer.
        let imagesField: UInt64 = fields.hasField(at: 0x1c0, count: 8) ? 0x1c0 : 0x18
        images = try fields.extent(UInt32.self, at: imagesField)
        imageTexts = try fields.extent(UInt64.self, at: 0x88)
        subcaches = try fields.extent(UInt32.self, at: 0x188)
        localSymbols = try fields.extent(UInt64.self, at: 0x48)
        let symbolsUUID = try fields.uuid(at: 0x190)
        symbolsFileUUID = symbolsUUID.contains { $0 != 0 } ? symbolsUUID : nil
        platform = UInt32(try fields.number(UInt32.self, at: 0xd8))
        isSimulator = try fields.number(UInt32.self, at: 0xdc) & Self.simulatorFlag != 0
        systemVersion = UInt32(try fields.number(UInt32.self, at: 0x16c))
    }

    /// Whether local symbols have entries of 16 bytes, keyed by address. Older caches have entries
    /// of 12 bytes, keyed by file offset.
    var hasWideLocalEntries: Bool { size >= 0x1a0 }

    /// Whether subcache entries contain the suffixes of their files. In older caches they are
    /// numbered.
    var namesSubcaches: Bool { size > 0x1c8 }

    /// Whether caches with such a header may consist of several files.
    var mayHaveParts: Bool { size >= 0x190 }

    /// The kind of a cache that consists of a development cache next to a production cache, with
    /// shared subcaches.
    static let universalKind: UInt64 = 2

    static let sizeLimit: UInt64 = 4096
    static let mappingCountLimit: UInt64 = 64
    private static let simulatorFlag: UInt64 = 1 << 9
}

/// The fields of a header; those past its end read as 0.
private struct Fields {
    let size: UInt64
    private let file: FileBytes

    init(_ file: FileBytes) throws(ReadingError) {
        self.file = file.named("cache header")
        size = UInt64(try self.file.number(UInt32.self, at: 0x10))
    }

    func hasField(at offset: UInt64, count: UInt64) -> Bool { offset + count <= size }

    func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, at offset: UInt64
    ) throws(ReadingError) -> UInt64 {
        guard hasField(at: offset, count: UInt64(MemoryLayout<Number>.size)) else { return 0 }
        return UInt64(truncatingIfNeeded: try file.number(type, at: offset))
    }

    /// Reads an offset and a count, each of the given integer type.
    func extent<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, at offset: UInt64
    ) throws(ReadingError) -> CacheHeader.Extent {
        CacheHeader.Extent(
            offset: try number(type, at: offset),
            count: try number(type, at: offset + UInt64(MemoryLayout<Number>.size)))
    }

    func uuid(at offset: UInt64) throws(ReadingError) -> [UInt8] {
        guard hasField(at: offset, count: 16) else { return [UInt8](repeating: 0, count: 16) }
        return try file.uuid(at: offset)
    }
}

extension FileBytes {
    /// Reads the sixteen bytes at `offset`.
    func uuid(at offset: UInt64) throws(ReadingError) -> [UInt8] {
        try check(16, at: offset)
        let start = Int(offset)
        return withSpan(of: start..<start + 16) { bytes in bytes.indices.map { bytes[$0] } }
    }
}
