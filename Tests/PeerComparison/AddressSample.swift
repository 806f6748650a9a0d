import CallStacks
import TestSupport

/// Which places of an image are compared.
public enum AddressSample: Sendable {
    /// Every byte of code, or every instruction where they are aligned.
    case all
    /// Random places, and of the starts and last bytes of functions and the starts of symbols as many
    /// as `edges` at most.
    case random(count: Int, edges: Int, seed: UInt64)

    /// Ascending, each once.
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
    /// The ends of what has a name, ascending.
    fileprivate var edges: [ImageOffset] {
        let ends = ranges.flatMap { [$0.lowerBound, ImageOffset($0.upperBound.rawValue - 1)] }
        return Set(ends).union(symbolStarts).sorted()
    }
}

extension ImageLayout {
    /// Places of code, each as likely as any other.
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
