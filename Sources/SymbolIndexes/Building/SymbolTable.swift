import Algorithms
import CallStacks

/// The symbols of an image, ordered so that the best one for an address is found first.
struct SymbolTable {
    /// The symbols in ascending order of start, then the better ones first: by rank, size, and
    /// name.
    private(set) var symbols: [StagedSymbol]
    /// The start and name of each symbol, in ascending order.
    private var named: [NamedStart]

    /// The ends of symbols with a size that have aliases without one, by start.
    private let endsOfAliases: [UInt64: UInt64]

    private struct NamedStart: Comparable {
        var start: UInt64
        var name: UInt32

        static func < (left: Self, right: Self) -> Bool {
            left.start != right.start ? left.start < right.start : left.name < right.name
        }
    }

    init(_ symbols: [StagedSymbol], names: ByteInterner) {
        self.symbols = symbols.sorted { left, right in
            if left.start != right.start { return left.start < right.start }
            if left.rank != right.rank { return left.rank < right.rank }
            if left.hasSize != right.hasSize { return left.hasSize }
            return names.precedes(left.name, right.name)
        }
        named = symbols.map { NamedStart(start: $0.start, name: $0.name) }.sorted()
        endsOfAliases = Self.endsOfAliases(in: self.symbols)
    }

    private static func endsOfAliases(in symbols: [StagedSymbol]) -> [UInt64: UInt64] {
        var ends: [UInt64: UInt64] = [:]
        for aliases in symbols.lazy.chunked(on: \.start) where aliases.1.count > 1 {
            guard aliases.1.contains(where: { $0.end == nil }) else { continue }
            ends[aliases.0] = aliases.1.filter(\.hasSize).compactMap(\.end).max()
        }
        return ends
    }

    /// Returns the end of the code at `start` according to a symbol with a size, or `nil` if there
    /// is none. It applies to aliases without a size too.
    func end(ofCodeAt start: UInt64) -> UInt64? { endsOfAliases[start] }

    /// Whether a symbol of that name is exactly at `start`.
    func contains(_ name: UInt32, at start: UInt64) -> Bool {
        let wanted = NamedStart(start: start, name: name)
        let index = named.partitioningIndex { $0 >= wanted }
        return index < named.count && named[index] == wanted
    }

    /// Returns the name of the best symbol exactly at `start`, or `nil` if there is none.
    ///
    /// Assembly contains many labels, which count only for code without another name. But labels
    /// with a size count as functions: clang writes them for `.cold`.
    func name(at start: UInt64, acceptingLabels: Bool) -> UInt32? {
        let index = symbols.partitioningIndex { $0.start >= start }
        guard index < symbols.count, symbols[index].start == start,
            acceptingLabels || !symbols[index].isLabel || symbols[index].hasSize
        else { return nil }
        return symbols[index].name
    }
}
