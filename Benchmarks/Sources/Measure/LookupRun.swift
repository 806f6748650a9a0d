import CallStacks
import SymbolIndexes

/// Measures lookups in one process with an index in memory.
struct LookupRun {
    private let index: SymbolIndex
    private let offsets: [ImageOffset]

    /// The number of warm-up lookups, which touch nearly every page of the index.
    private static let warmingCount = 100_000

    init(index: String, offsets: String) throws {
        self.index = try SymbolIndex(MappedBytes.of(path: index))
        self.offsets = try OffsetList(path: offsets).offsets
    }

    /// - Parameter kind: `numbers` returns each frame with its name and file as numbers; `texts`
    ///   also reads name, folder and file name of each frame, as the symbolicator does for new
    ///   ones.
    func measure(kind: String) throws -> LookupFigure {
        switch kind {
        case "numbers": return try measure(Self.addNumbers)
        case "texts": return try measure(Self.addTexts)
        default: throw MeasureError("'\(kind)' is neither numbers nor texts")
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
        var frames: [NumberedFrame] = []
        guard try index.walk(at: offset, { frames.append($0) }) != nil else { return }
        sum.found += 1
        sum.frames += frames.count
        for frame in frames {
            sum.textBytes += try index.name(frame.name)?.utf8.count ?? 0
            guard let file = try frame.file.map(index.file) else { continue }
            sum.textBytes += file.folder.utf8.count + file.name.utf8.count
        }
    }
}

/// The sum of a run's results. It is printed, so that no lookup can be optimised away.
private struct LookupSum {
    var found = 0
    var frames = 0
    var textBytes = 0
}

/// The cost of a lookup, and the average result, for comparison with another tool.
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
