import ByteReading
import CallStacks

/// The image tables in the main file of a shared cache.
///
/// One table has addresses and paths; another, since iOS 10, identities and sizes. The two are
/// joined by address, because the format does not promise the same order.
struct ImageTables {
    /// An entry of the second table (`dyld_cache_image_text_info`).
    private struct Text {
        let uuid: [UInt8]
        let size: UInt64
        let pathOffset: UInt64
    }

    /// An image, joined from both tables. The UUID is all zeros if the second table lacks it.
    struct Entry {
        let address: UInt64
        let path: String
        let uuid: [UInt8]
        let textSize: UInt64
    }

    private(set) var entries: [Entry] = []
    private(set) var problems: [CacheProblem] = []

    static let imageCountLimit: UInt64 = 65_536
    private static let pathLimit = 4096

    init(_ file: CacheFile) throws(SharedCacheError.Reason) {
        try Self.check(file.header.images)
        try Self.check(file.header.imageTexts)
        let texts = texts(of: file)
        var seen: Set<UInt64> = []
        var cursor = ByteCursor(file.bytes.named("cache images"), at: file.header.images.offset)
        do throws(ReadingError) {
            for _ in 0..<file.header.images.count {
                let address = try cursor.number(UInt64.self)
                try cursor.skip(16)
                let pathOffset = UInt64(try cursor.number(UInt32.self))
                try cursor.skip(4)
                // Old caches list an image once for each alias of its path.
                guard seen.insert(address).inserted else { continue }
                let text = texts[address]
                entries.append(
                    Entry(
                        address: address,
                        path: Self.path(at: text?.pathOffset ?? pathOffset, of: file),
                        uuid: text?.uuid ?? [], textSize: text?.size ?? 0))
            }
        } catch { record(error) }
    }

    private mutating func texts(of file: CacheFile) -> [UInt64: Text] {
        var texts: [UInt64: Text] = [:]
        var cursor = ByteCursor(
            file.bytes.named("cache image texts"), at: file.header.imageTexts.offset)
        do throws(ReadingError) {
            for _ in 0..<file.header.imageTexts.count {
                let uuid = try cursor.bytes.uuid(at: cursor.offset)
                try cursor.skip(16)
                let address = try cursor.number(UInt64.self)
                let text = Text(
                    uuid: uuid, size: UInt64(try cursor.number(UInt32.self)),
                    pathOffset: UInt64(try cursor.number(UInt32.self)))
                texts[address] = texts[address] ?? text
            }
        } catch { record(error) }
        return texts
    }

    private mutating func record(_ error: ReadingError) {
        problems.append(CacheProblem(error))
    }

    private static func check(_ table: CacheHeader.Extent) throws(SharedCacheError.Reason) {
        guard table.count <= imageCountLimit else {
            throw .tooMany("images", count: table.count, limit: imageCountLimit)
        }
    }

    /// Returns the path at an offset, or an empty string if there is none.
    private static func path(at offset: UInt64, of file: CacheFile) -> String {
        let range = try? file.bytes.textRange(at: offset, limit: pathLimit)
        return range.map { file.bytes.string(of: $0) } ?? ""
    }
}
