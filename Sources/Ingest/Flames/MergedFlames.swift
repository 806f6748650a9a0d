public import FlameGraphs
import TaskCoordination

/// Merges the stored stacks of many diagnostics into flame graphs, and keeps the latest graphs.
///
/// When a graph is requested again, only the changes are applied: new stacks are added, and those
/// that are no longer among the newest are subtracted.
public actor MergedFlames {
    /// A merged graph.
    public struct Flame: Sendable {
        public let graph: FlameGraph
        /// The heaviest nodes of the graph, enough for zooming into a picture.
        public let outline: FlameGraph
        /// The number of merged diagnostics.
        public let mergedCount: Int
        /// The number of stored diagnostics that match the query. It is larger than ``mergedCount``
        /// if there are more than the limit, if the graph would get too many nodes, or if earlier
        /// versions stored some without their stacks.
        public let diagnosticCount: Int
    }

    private struct Key: Hashable {
        let query: FlameQuery
        let weighting: FlameGraphBuilder.Weighting
    }

    private struct Merged {
        var builder: FlameGraphBuilder
        var ids: Set<Int64> = []
        /// The available stacks, whether merged or not.
        var offered: Set<Int64> = []
        var flame: Flame?
    }

    /// The maximum number of cached graphs.
    static let graphLimit = 8
    /// The maximum number of nodes of ``Flame/outline``.
    static let outlineLimit = 10_000
    /// The number of stacks read at a time.
    private static let readCount = 500
    /// A graph is rebuilt, rather than updated, if more than one in this many of its stacks is
    /// outdated.
    private static let subtractionShare = 4

    private let archive: any SampledStackArchive
    private let nodeLimit: Int
    private var merged: [Key: Merged] = [:]
    /// The keys of ``merged``, the least recently used first.
    private var order: [Key] = []
    /// Ensures that one graph is computed at a time.
    private let turns = TaskSemaphore(count: 1)

    /// - Parameter nodeLimit: The number of nodes above which no more stacks are added to a graph.
    ///   A node takes some 100 bytes. All cached graphs together have at most twice as many, unless
    ///   a single graph exceeds that.
    public init(archive: any SampledStackArchive, nodeLimit: Int = 2_000_000) {
        self.archive = archive
        self.nodeLimit = nodeLimit
    }

    public func flame(
        _ query: FlameQuery, by weighting: FlameGraphBuilder.Weighting
    ) async throws -> Flame {
        let key = Key(query: query, weighting: weighting)
        return try await turns.run { @Sendable in try await self.updated(key) }
    }

    private func updated(_ key: Key) async throws -> Flame {
        let ids = Set(try await archive.sampledStackIDs(key.query))
        let count = try await archive.diagnosticCount(key.query)
        // Removed from the dictionary, so that it is mutated in place.
        var merged = merged.removeValue(forKey: key) ?? Self.empty(key)
        if let flame = merged.flame, merged.offered == ids, flame.diagnosticCount == count {
            store(key, merged)
            return flame
        }
        // A full graph is rebuilt, because it must include the newest stacks.
        var isKept = !isFull(merged)
        if isKept { isKept = try await subtract(merged.ids.subtracting(ids), from: &merged) }
        if !isKept { merged = Self.empty(key) }
        try await add(ids.subtracting(merged.ids), to: &merged)
        merged.offered = ids
        let graph = merged.builder.graph()
        let flame = Flame(
            graph: graph, outline: graph.pruned(to: Self.outlineLimit),
            mergedCount: merged.ids.count,
            diagnosticCount: max(count, merged.ids.count))
        merged.flame = flame
        store(key, merged)
        return flame
    }

    private static func empty(_ key: Key) -> Merged {
        var options = FlameGraphBuilder.Options()
        options.weighting = key.weighting
        return Merged(builder: FlameGraphBuilder(options: options))
    }

    /// Adds stacks, the newest first, until the graph is full.
    private func add(_ ids: Set<Int64>, to merged: inout Merged) async throws {
        try await forEachStack(ids) { id, stacks in
            guard !isFull(merged) else { return false }
            merged.builder.add(stacks)
            merged.ids.insert(id)
            return true
        }
    }

    /// - Returns: Whether all were subtracted. If not, the graph has to be rebuilt.
    private func subtract(_ ids: Set<Int64>, from merged: inout Merged) async throws -> Bool {
        guard !ids.isEmpty else { return true }
        guard ids.count * Self.subtractionShare <= merged.ids.count else { return false }
        try await forEachStack(ids) { id, stacks in
            merged.builder.subtract(stacks)
            merged.ids.remove(id)
            return true
        }
        return merged.ids.isDisjoint(with: ids)
    }

    /// Calls `body` for each stack, the newest first, until it returns `false`.
    private func forEachStack(
        _ ids: Set<Int64>, _ body: (Int64, SampledStacks) -> Bool
    ) async throws {
        var rest = ids.sorted(by: >)[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.readCount))
            rest = rest.dropFirst(Self.readCount)
            let stored = try await archive.sampledStacks(part)
            for id in part {
                guard let stacks = stored[id].flatMap(SampledStacks.init) else { continue }
                guard body(id, stacks) else { return }
            }
        }
    }

    private func store(_ key: Key, _ new: Merged) {
        merged[key] = new
        order.removeAll { $0 == key }
        order.append(key)
        while order.count > 1, order.count > Self.graphLimit || nodeCount > 2 * nodeLimit {
            merged[order.removeFirst()] = nil
        }
    }
    private func isFull(_ merged: Merged) -> Bool { merged.builder.nodeCount >= nodeLimit }

    private var nodeCount: Int { merged.values.reduce(0) { $0 + $1.builder.nodeCount } }
}
