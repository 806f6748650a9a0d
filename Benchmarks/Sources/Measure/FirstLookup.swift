import CallStacks
import SymbolIndexes

/// Measures opening an index and the first lookup, in elapsed time, including waits for the disk.
///
/// Whether the file is in the page cache depends on the caller of the process.
struct FirstLookup {
    struct Figure: Encodable {
        let openNanoseconds: Double
        let firstNanoseconds: Double
        let frames: Int

        enum CodingKeys: String, CodingKey {
            case openNanoseconds = "open_ns"
            case firstNanoseconds = "first_ns"
            case frames
        }
    }

    private let path: String
    private let offset: ImageOffset

    init(index: String, offsets: String) throws {
        path = index
        offset = try OffsetList(path: offsets).offsets[0]
    }

    func measure() throws -> Figure {
        let (openNanoseconds, index) = try elapsedNanoseconds {
            try SymbolIndex(MappedBytes.of(path: path))
        }
        let (firstNanoseconds, frames) = try elapsedNanoseconds {
            var frames: [NumberedFrame] = []
            _ = try index.walk(at: offset) { frames.append($0) }
            for frame in frames {
                _ = try index.name(frame.name)
                if let file = frame.file { _ = try index.file(file) }
            }
            return frames.count
        }
        return Figure(
            openNanoseconds: openNanoseconds, firstNanoseconds: firstNanoseconds, frames: frames)
    }
}
