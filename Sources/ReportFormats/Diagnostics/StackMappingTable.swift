import Algorithms

/// A range of memory, and the part of an image that is mapped there.
struct MappedPart {
    var range: Range<UInt64>
    var fileOffset: UInt64
    /// The image's index in ``StackImages/images``.
    var position: Int
}

/// The mappings of a report, searchable by address. A later mapping replaces earlier ones at the
/// same address.
struct StackMappingTable {
    private let all: LatestParts
    private let byImage: [Int: LatestParts]

    /// - Parameter mappings: The mappings, in the order in which they were made.
    init(_ mappings: [MappedPart]) {
        all = LatestParts(mappings)
        byImage = Dictionary(grouping: mappings, by: \.position).mapValues(LatestParts.init)
    }

    /// Returns the latest mapping at an address.
    ///
    /// - Parameter position: The image that must be mapped, or `nil` for any image.
    func mapping(at address: UInt64, of position: Int?) -> MappedPart? {
        position.map { byImage[$0]?[address] } ?? all[address]
    }
}

/// The latest of some mappings at each address.
private struct LatestParts {
    private let parts: [MappedPart]
    /// The start and end addresses of all mappings, in ascending order.
    private let bounds: [UInt64]
    /// The index of the latest mapping from each bound to the next.
    private var latest: [Int?]

    init(_ parts: [MappedPart]) {
        self.parts = parts
        bounds = Set(parts.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
        latest = Array(repeating: nil, count: bounds.count)
        // Ranges that have a mapping are skipped, so that overlapping mappings are not walked again.
        var next = Array(0...bounds.count)
        func firstFree(from start: Int) -> Int {
            var index = start
            while next[index] != index {
                next[index] = next[next[index]]
                index = next[index]
            }
            return index
        }
        for (number, part) in parts.enumerated().reversed() {
            let end = index(of: part.range.upperBound)
            var index = firstFree(from: index(of: part.range.lowerBound))
            while index < end {
                latest[index] = number
                next[index] = index + 1
                index = firstFree(from: index + 1)
            }
        }
    }

    subscript(address: UInt64) -> MappedPart? {
        let following = index(of: address, isIncluded: false)
        return following > 0 ? latest[following - 1].map { parts[$0] } : nil
    }

    /// Returns the index of the first bound that is at an address or after it.
    ///
    /// - Parameter isIncluded: Whether a bound at the address itself counts.
    private func index(of address: UInt64, isIncluded: Bool = true) -> Int {
        bounds.partitioningIndex { isIncluded ? $0 >= address : $0 > address }
    }
}
