import Synchronization

extension Array where Element: Sendable {
    /// Transforms all elements, up to `width` of them at once, and returns the results in the order
    /// of the elements.
    public func concurrentMap<Result: Sendable>(
        width: Int, _ transform: @escaping @Sendable (Element) async -> Result
    ) async -> [Result] {
        let next = NextIndex(count: count)
        let results = await withTaskGroup(of: [(Int, Result)].self) { group in
            for _ in 0..<Swift.min(Swift.max(width, 1), count) {
                group.addTask { await self.map(next, transform) }
            }
            return await group.reduce(into: [Result?](repeating: nil, count: count)) {
                for (index, result) in $1 { $0[index] = result }
            }
        }
        return results.compactMap { $0 }
    }

    /// Transforms the next element until none is left.
    private func map<Result: Sendable>(
        _ next: NextIndex, _ transform: @Sendable (Element) async -> Result
    ) async -> [(Int, Result)] {
        var results: [(Int, Result)] = []
        while let index = next.take() {
            results.append((index, await transform(self[index])))
            // Incoming requests share these threads.
            await Task.yield()
        }
        return results
    }
}

/// The index of the next element that no task has taken.
private final class NextIndex: Sendable {
    private let count: Int
    private let taken = Atomic(0)

    init(count: Int) { self.count = count }

    func take() -> Int? {
        let index = taken.add(1, ordering: .relaxed).oldValue
        return index < count ? index : nil
    }
}
