import CallStacks
import JSONText
import Problems
import SharedCaches
import StackRendering
import SymbolStores

/// The text that `inspect` prints for shared caches.
struct CacheText {
    let text: String

    init(_ caches: [LocatedCache]) {
        text = caches.map(Self.paragraph).joined(separator: "\n")
    }

    private static func paragraph(of found: LocatedCache) -> String {
        let cache = found.cache
        var rows = [
            ("arch", found.architecture?.name ?? "unknown"), ("kind", "shared cache"),
            ("system", found.systemName), ("images", "\(cache.images.count)"),
            ("files", "\(cache.fileNames.count)"), ("contains", found.contents),
            ("resolves", found.promise),
        ]
        rows += found.problems.map { ("warning", $0.problem.of(nil).description) }
        let lines = rows.map { label, value in
            "  \(padded(label, to: 9)) \(Console.oneLine(value))\n"
        }
        return Console.oneLine(found.path) + "\n" + lines.joined()
    }

    /// Returns a line for each image, in the format of `inspect --uuid`.
    static func uuidLines(_ caches: [LocatedCache]) -> String {
        caches.flatMap { found in
            found.cache.images.compactMap { image in
                image.id.map {
                    let architecture = found.architecture?.name ?? "unknown"
                    let path = Console.oneLine(found.displayPath(of: image))
                    return "UUID: \($0) (\(architecture)) \(path)\n"
                }
            }
        }.joined()
    }
}

extension LocatedCache {
    /// The system and architecture: `iPhone OS 26.1 (23B85) arm64e` if a folder names the build,
    /// otherwise `ios 26.1 arm64e`.
    var systemName: String {
        if let system {
            return [system.name, "(\(system.build))", architecture?.name].compactMap(\.self)
                .joined(separator: " ")
        }
        let simulator = cache.isSimulator ? "simulator" : nil
        let words = [
            cache.platformName, simulator, cache.systemVersion, architecture?.name,
        ]
        let name = words.compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? "unknown" : name
    }

    fileprivate var contents: String {
        if !cache.movesLocalSymbols { return "symbols in its images" }
        if !cache.hasLocalSymbols { return "exported symbols" }
        return "exported symbols, \(counted(cache.movedSymbolCount, "local symbol"))"
    }

    fileprivate var promise: String {
        let readable = cache.readableImageCount
        guard readable > 0 else { return "nothing" }
        let names = cache.hasLocalSymbols ? "function names" : "names of exported functions"
        let count = cache.images.count
        return readable == count ? names : "\(names) in \(readable) of \(counted(count, "image"))"
    }

    /// The quality on the scale of debug files: 2 with local symbols, 1 without, 0 if no image can
    /// be read.
    var quality: UInt64 {
        if cache.readableImageCount == 0 { return 0 }
        return cache.hasLocalSymbols ? 2 : 1
    }
}

extension JSONWriter {
    /// Writes a cache:
    /// `{"path", "arch", "platform", "version", "files", "quality", "images": [{"uuid", "path", "bytes"}], "warnings"}`.
    mutating func write(_ found: LocatedCache) {
        beginObject()
        member("path", found.path)
        member("arch", found.architecture?.name)
        member("platform", found.cache.platformName)
        member("version", found.cache.systemVersion)
        array("files", found.cache.fileNames) { $0.string($1) }
        member("quality", found.quality)
        array("images", found.cache.images) { writer, image in
            writer.beginObject()
            writer.member("uuid", image.id?.description)
            writer.member("path", image.path)
            writer.member("bytes", image.textSize)
            writer.endObject()
        }
        array("warnings", found.problems) { $0.string($1.problem.of(nil).description) }
        endObject()
    }
}

extension SystemImageList {
    /// The systems of the caches, each once, or a description of the files if there is no cache.
    var systemNames: String {
        var seen: Set<String> = []
        let names = caches.map(\.systemName).filter { seen.insert($0).inserted }
        return names.isEmpty ? "extracted files" : names.joined(separator: ", ")
    }
}
