import CallStacks
import SymbolIndexes

/// Lookups in one process whose index is in memory.
struct LookupRun {
    private let index: SymbolIndex
    private let offsets: [ImageOffset]

    /// Lookups that are done before the clock runs; they touch nearly every page of the index.
    private static let warmingCount = 100_000

    init(index: String, offsets: String) throws {
        self.index = try SymbolIndex(MappedBytes.of(path: index))
        self.offsets = try OffsetList(path: offsets).offsets
    }

    /// - Parameter kind: `numbers` takes each frame with its name and file as numbers; `paths` copies
    ///   the name and the joined path of each frame out, which is what symbolic's C interface hands
    ///   out; `texts` takes name, folder and file name as strings of their own.
    func measure(kind: String) throws -> LookupFigure {
        switch kind {
        case "numbers": return try measure(Self.addNumbers)
        case "texts": return try measure(Self.addTexts)
        case "paths":
            var answer = CopiedAnswer()
            return try measure { try Self.addPaths($0, $1, &answer, &$2) }
        default: throw MeasureError("'\(kind)' is none of numbers, texts, paths")
        }
    }

    private func measure(
        _ add: (SymbolIndex, ImageOffset, inout LookupSum) throws -> Void
    ) throws -> LookupFigure {
        var unused = LookupSum()
        for offset in offsets.prefix(Self.warmingCount) { try add(index, offset, &unused) }
        var sum = LookupSum()
        let (nanoseconds, _) = try processorNanoseconds {
            for offset in offsets { try add(index, offset, &sum) }
        }
        return LookupFigure(nanoseconds: nanoseconds, lookups: offsets.count, sum)
    }

    private static func addNumbers(
        _ index: SymbolIndex, _ offset: ImageOffset, _ sum: inout LookupSum
    ) throws {
        let start = try index.walk(at: offset) { frame in
            sum.frames += 1
            sum.textBytes += Int(frame.line & 1)
        }
        sum.found += start == nil ? 0 : 1
    }

    private static func addTexts(
        _ index: SymbolIndex, _ offset: ImageOffset, _ sum: inout LookupSum
    ) throws {
        guard let answer = try index.frames(at: offset) else { return }
        sum.found += 1
        sum.frames += answer.frames.count
        for frame in answer.frames {
            sum.textBytes += frame.function?.utf8.count ?? 0
            if let file = frame.file {
                sum.textBytes += file.folder.utf8.count + file.name.utf8.count
            }
        }
    }

    private static func addPaths(
        _ index: SymbolIndex, _ offset: ImageOffset, _ answer: inout CopiedAnswer,
        _ sum: inout LookupSum
    ) throws {
        guard try index.copyFrames(at: offset, into: &answer) else { return }
        sum.found += 1
        sum.frames += answer.frames.count
        for frame in answer.frames { sum.textBytes += frame.name.count + frame.path.count }
    }
}

/// What the answers of a run add up to. It is printed, so that no answer can be left out.
private struct LookupSum {
    var found = 0
    var frames = 0
    var textBytes = 0
}

/// The cost of a lookup, and for each lookup what it found, to hold against another tool's.
struct LookupFigure: Encodable {
    let ns: Double
    let found: Double
    let frames: Double
    let textBytes: Double

    enum CodingKeys: String, CodingKey {
        case ns, found, frames
        case textBytes = "text_bytes"
    }

    fileprivate init(nanoseconds: Double, lookups: Int, _ sum: LookupSum) {
        let count = Double(lookups)
        ns = nanoseconds / count
        found = Double(sum.found) / count
        frames = Double(sum.frames) / count
        textBytes = Double(sum.textBytes) / count
    }
}
