public import CallStacks
import SymbolIndexes

extension Symbolicator {
    /// An answer whose inlined calls have a ``SymbolicatedFrame/functionDistance`` too, counted from
    /// where their code starts, as Apple's formats show it.
    ///
    /// Only those who write a file in its own form want it, so nobody else pays for it.
    ///
    /// - Parameter diagnostic: What the answer was made from.
    public func withInlinedDistances(
        _ answer: SymbolicatedDiagnostic, of diagnostic: Diagnostic
    ) async -> SymbolicatedDiagnostic {
        let images = Set(answer.frames.lazy.filter(\.isInlined).compactMap(\.image))
        var starts = InlinedStarts(symbols: await symbols(of: images))
        var answer = answer
        // The inlined rows of a frame are neighbours, and their function is not inlined.
        var row = 0
        while row < answer.frames.count {
            let physical = answer.frames[row].physical
            let end =
                answer.frames[row...].firstIndex { $0.physical != physical } ?? answer.frames.count
            let inlined = (row..<end).filter { answer.frames[$0].isInlined }
            row = end
            guard !inlined.isEmpty, diagnostic.tree.frames.indices.contains(physical),
                let site = diagnostic.tree.frames[physical].site
            else { continue }
            let distances = starts.distances(of: site, in: answer.frames[inlined[0]])
            guard distances.count == inlined.count else { continue }
            let innermostFirst = answer.form == .sampled ? inlined.reversed() : inlined
            for (row, distance) in zip(innermostFirst, distances) {
                answer.frames[row].functionDistance = distance
            }
        }
        return answer
    }
}

/// Where inlined calls start, looked up once for each place.
private struct InlinedStarts {
    private struct Place: Hashable {
        var image: ImageID
        var offset: ImageOffset
    }

    /// How many places are looked up. What comes later has no distances.
    private static let limit = 1 << 16

    private let symbols: FetchedSymbols
    private var known: [Place: [ImageOffset?]] = [:]

    init(symbols: FetchedSymbols) { self.symbols = symbols }

    /// The distances of the calls inlined at a site, innermost first. None where the report's own
    /// names stand.
    mutating func distances(of site: CallSite, in row: SymbolicatedFrame) -> [UInt64?] {
        guard let image = row.image, !row.remarks.contains(.nameGiven),
            case .found(let index) = symbols[image]
        else { return [] }
        let place = Place(image: image, offset: site.lookupOffset)
        if known[place] == nil, known.count < Self.limit {
            known[place] = try? index.inlinedStarts(at: place.offset)
        }
        return (known[place] ?? []).map { start in
            start.flatMap { $0 <= site.offset ? site.offset.rawValue - $0.rawValue : nil }
        }
    }
}
