import CallStacks
import Foundation
import Hummingbird
import Ingest

/// The nodes that share a database.
struct ClusterController {
    let source: any ClusterStatusSource

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/nodes", use: nodes)
    }

    @Sendable private func nodes(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        try .json(NodesJSON(try await source.clusterStatus()))
    }
}

private struct NodesJSON: Encodable {
    let nodes: [Node]
    let lanesWithoutNode: [Lane]

    init(_ status: ClusterStatus) {
        nodes = status.nodes.map(Node.init)
        lanesWithoutNode = status.lanesWithoutNode.map(Lane.init)
    }

    struct Node: Encodable {
        let name: String
        let version: String
        let lastSeenAt: String
        let lanes: [Lane]

        init(_ node: ClusterStatus.Node) {
            name = node.name
            version = node.version
            lastSeenAt = node.lastSeen.text
            lanes = node.lanes.map(Lane.init)
        }
    }

    struct Lane: Encodable {
        let lane: Int
        let waitingRequests: Int64
        let waitingBytes: Int64

        init(_ lane: ClusterStatus.Lane) {
            self.lane = lane.number
            waitingRequests = lane.waitingCount
            waitingBytes = lane.waitingBytes
        }
    }
}
