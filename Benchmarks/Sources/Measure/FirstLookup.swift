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
        let (firstNanoseconds, answer) = try elapsedNanoseconds { try index.frames(at: offset) }
        return Figure(
            openNanoseconds: openNanoseconds, firstNanoseconds: firstNanoseconds,
            frames: answer?.frames.count ?? 0)
    }
}
