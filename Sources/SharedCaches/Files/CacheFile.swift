import ByteReading
import CallStacks

/// One file of a shared cache.
struct CacheFile: Sendable {
    /// A range of the file that is mapped at an address.
    struct Mapping {
        let address: UInt64
        let size: UInt64
        let fileOffset: UInt64
    }

    let name: String
    let bytes: FileBytes
    let header: CacheHeader
    let mappings: [Mapping]

    init(_ bytes: FileBytes, name: String) throws(SharedCacheError.Reason) {
        self.name = name
        self.bytes = bytes
        header = try Self.header(of: bytes)
        do throws(ReadingError) {
            mappings = try Self.mappings(of: bytes, header)
        } catch { throw .reading(error) }
    }

    /// The size that the file must have for its mappings, or `nil` if one of them exceeds 64 bits.
    var mappedByteCount: UInt64? {
        var end: UInt64 = 0
        for mapping in mappings {
            let (mappingEnd, overflows) = mapping.fileOffset.addingReportingOverflow(mapping.size)
            if overflows { return nil }
            end = max(end, mappingEnd)
        }
        return end
    }

    private static func header(of bytes: FileBytes) throws(SharedCacheError.Reason) -> CacheHeader {
        do throws(SharedCacheError.Reason) { return try CacheHeader(bytes) } catch {
            if case .unsupportedHeader(let size) = error,
                size.byteSwapped <= CacheHeader.sizeLimit
            {
                throw .bigEndian
            }
            throw error
        }
    }

    private static func mappings(
        of bytes: FileBytes, _ header: CacheHeader
    ) throws(ReadingError) -> [Mapping] {
        var mappings: [Mapping] = []
        var cursor = ByteCursor(bytes.named("cache mappings"), at: header.size)
        for _ in 0..<header.mappingCount {
            mappings.append(
                Mapping(
                    address: try cursor.number(UInt64.self), size: try cursor.number(UInt64.self),
                    fileOffset: try cursor.number(UInt64.self)))
            // Maximal and initial protection.
            try cursor.skip(8)
        }
        return mappings
    }
}
