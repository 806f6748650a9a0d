import CallStacks
public import Ingest
import PostgreSQL

extension SharedDatabase: ClusterStatusSource {
    private static let nodesText = """
        SELECT id::text, name, version, seen FROM node ORDER BY name, id
        """

    private static let lanesText = """
        SELECT l.id, CASE WHEN l.until > now() THEN l.node::text END,
            l.tail - coalesce(min(r.place), l.tail), l.total - coalesce(min(r.passed), l.total)
        FROM lane l LEFT JOIN reader r ON r.lane = l.id GROUP BY l.id ORDER BY l.id
        """

    public func clusterStatus() async throws(JournalError) -> ClusterStatus {
        try await asJournal {
            var lanes: [String: [ClusterStatus.Lane]] = [:]
            for row in try await read(Self.lanesText) {
                let lane = ClusterStatus.Lane(
                    number: Int(try row.value(0, .int2)), waitingCount: try row.value(2, .int8),
                    waitingBytes: try row.value(3, .int8))
                lanes[try row.optional(1, .text) ?? "", default: []].append(lane)
            }
            let nodes = try await read(Self.nodesText).map { row in
                ClusterStatus.Node(
                    name: try row.value(1, .text), version: try row.value(2, .text),
                    lastSeen: UnixTime(
                        rawValue: try row.value(3, .timestamptz).millisecondsSince1970),
                    lanes: lanes[try row.value(0, .text)] ?? [])
            }
            return ClusterStatus(
                nodes: nodes, lanesWithoutNode: (lanes[""] ?? []).filter { $0.waitingCount > 0 })
        }
    }
}
