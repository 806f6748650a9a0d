import CallStacks
import TestSupport

/// The selection of offsets of an image to compare.
public enum AddressSample: Sendable {
    /// Every byte of code, or every instruction if they are aligned.
    case all
    /// Random offsets, and at most `edges` of the starts and last bytes of functions and the starts
    /// of symbols.
    case random(count: Int, edges: Int, seed: UInt64)

    /// Returns the offsets, ascending and distinct.
    func offsets(
        layout: ImageLayout, architecture: Architecture, symbols: SymbolNames
    ) -> [ImageOffset] {
        let step: UInt64 = architecture.alignsInstructionsTo4 ? 4 : 1
        switch self {
        case .all:
            return layout.code.flatMap { section in
                stride(
                    from: section.lowerBound.rawValue, to: section.upperBound.rawValue,
                    by: Int(step)
                ).map { ImageOffset($0) }
            }
        case .random(let count, let limit, let seed):
            var numbers = SplitMix64(seed: seed)
            let edges = symbols.edges.filter { layout.section(containing: $0) != nil }
            let chosen =
                edges.shuffled(using: &numbers).prefix(limit)
                + layout.random(count, using: &numbers)
            return Set(chosen.map { ImageOffset($0.rawValue / step * step) }).sorted()
        }
    }
}

extension SymbolNames {
    /// The first and last offsets of named code, ascending.
    fileprivate var edges: [ImageOffset] {
        let ends = ranges.flatMap { [$0.lowerBound, ImageOffset($0.upperBound.rawValue - 1)] }
        return Set(ends).union(symbolStarts).sorted()
    }
}

extension ImageLayout {
    /// Random offsets of code, with equal probability.
    fileprivate func random(_ count: Int, using numbers: inout SplitMix64) -> [ImageOffset] {
        let sizes = code.map { $0.upperBound.rawValue - $0.lowerBound.rawValue }
        let total = sizes.reduce(0, +)
        guard total > 0 else { return [] }
        return (0..<count).compactMap { _ in
            var place = UInt64.random(in: 0..<total, using: &numbers)
            for (section, size) in zip(code, sizes) {
                if place < size { return ImageOffset(section.lowerBound.rawValue + place) }
                place -= size
            }
            return nil
        }
    }
}
