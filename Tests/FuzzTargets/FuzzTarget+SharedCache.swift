import ByteReading
import DebugFiles
import SharedCaches

extension FuzzTarget {
    /// Reads a cache whose files are concatenated, each after its size in four bytes: the main
    /// file, then those that it refers to, whatever their names.
    func readSharedCache(_ input: [UInt8]) {
        var files = Self.cacheFiles(input)
        guard let main = files.popFirst() else { return }
        let cache = try? SharedCache(main, name: "cache") { _ in files.popFirst() }
        guard let cache else { return }
        _ = (cache.systemVersion, cache.architecture, cache.problems.map(\.line))
        for image in cache.imagesInReadingOrder.prefix(Self.cachedImageLimit) {
            guard let cut = try? CutFile(image, of: cache) else { continue }
            let file = try? DebugFile.slices(of: FileBytes(cut.bytes), name: "cut").files.first
            _ = file?.summary()
        }
        cache.releasePages()
    }

    /// Whether a file of the project is a cache in that form.
    static func isSharedCache(_ file: [UInt8]) -> Bool {
        file.count > 4 && CacheMagic.begins(file[4...])
    }

    /// The maximum number of images read from a cache.
    private static let cachedImageLimit = 64

    private static func cacheFiles(_ input: [UInt8]) -> ArraySlice<FileBytes> {
        var files: [FileBytes] = []
        var cursor = ByteCursor(FileBytes(input))
        while let size = try? cursor.number(UInt32.self), files.count < 16 {
            let count = min(UInt64(size), cursor.remaining)
            guard
                let bytes = try? cursor.bytes.slice(
                    at: cursor.offset, count: count, subject: "file")
            else { break }
            files.append(bytes)
            guard (try? cursor.skip(count)) != nil else { break }
        }
        return files[...]
    }
}
