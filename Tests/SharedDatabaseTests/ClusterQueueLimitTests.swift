import Ingest
import JournalSupport
import Problems
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("The limit of what waits in all lanes", .serialized, .ownThreads)
struct ClusterQueueLimitTests {
    /// A node with two entries of 40 bytes in its lane, and a limit of 80 bytes.
    private struct FullNode {
        let journal: LaneJournal
        private let node: TestNode
        private let limit = ClusterQueueLimit(bytes: 80)

        init(_ node: TestNode, readers: [String] = []) async throws {
            self.node = node
            var options = LaneOptions()
            options.queueLimit = limit
            journal = LaneJournal(
                of: try await node.lanes.claim(), in: node.database, options: options)
            for reader in readers { _ = try await journal.cursor(of: reader) }
            _ = try await journal.append([draft(1), draft(2)])
        }

        /// Renews the lease as a node with these exporters, and returns the reason why requests are
        /// refused, or `nil` if they are not.
        func refusal(exporters: [String] = []) async throws -> JournalError? {
            let readers = [JournalReaders.worker] + exporters
            limit.record(
                try await node.lanes.renew([journal.claim], finishing: readers), readers: readers)
            do throws(JournalError) { try await journal.checkFreeSpace() } catch { return error }
            return nil
        }
    }

    @Test("requests are refused while too much waits in all lanes, except for lack of exporters")
    func unsent() async throws {
        try await TestCluster().withNode { node in
            let full = try await FullNode(node)
            try await full.journal.checkFreeSpace()
            #expect(try await full.refusal()?.reason == .full)
            _ = try await full.journal.cursor(of: JournalReaders.unsent)
            try await full.journal.advance(JournalReaders.worker, to: 1)
            #expect(try await full.refusal() == nil)
        }
    }

    @Test("a refusal names the slowest reader, and how to drop one that is not configured")
    func slowestReader() async throws {
        try await TestCluster().withNode { node in
            let full = try await FullNode(node, readers: ["backend", "old"])
            func suggestion(_ exporters: [String]) async throws -> String? {
                try await full.refusal(exporters: exporters)?.problem.suggestion
            }
            #expect(
                try await suggestion(["backend"]) == "send again when the nodes have caught up")
            try await full.journal.advance(JournalReaders.worker, to: 2)
            #expect(
                try await suggestion(["backend", "old"])
                    == "send again when exporter 'backend' has caught up")
            try await full.journal.advance("backend", to: 1)
            #expect(
                try await suggestion(["backend", "old"])
                    == "send again when exporter 'old' has caught up")
            #expect(
                try await suggestion(["backend"]) == """
                    they wait for 'old', which is not configured: configure an exporter with \
                    this name, or drop it with 'symbolist exporters drop old --config FILE'
                    """)
            try await node.database.dropReader("old")
            #expect(try await suggestion(["backend"]) == nil)
        }
    }

    @Test("a refusal does not advise to drop the reader of a folder that is being moved")
    func folderImport() async throws {
        try await TestCluster().withNode { node in
            let full = try await FullNode(node, readers: [FolderImport.reader])
            try await full.journal.advance(JournalReaders.worker, to: 2)
            #expect(
                try await full.refusal()?.problem.suggestion
                    == "send again when 'symbolist move' has finished")
        }
    }
}
