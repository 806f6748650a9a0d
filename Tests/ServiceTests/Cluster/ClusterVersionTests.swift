import Foundation
import PostgreSQLSupport
import TestSupport
import Testing

extension ServiceProcessTests {
    /// The next version is made up: another migration, and entries of a signal that it knows.
    @Suite("Nodes of two versions", .ownThreads)
    struct ClusterVersionTests {
        private static let migration = """
            BEGIN;
            ALTER TABLE lane ADD COLUMN next integer;
            ALTER TABLE node ADD COLUMN next text;
            ALTER TABLE entry ADD COLUMN next bytea;
            ALTER TABLE diagnostic ADD COLUMN next integer DEFAULT 1;
            CREATE TABLE next (id integer PRIMARY KEY);
            UPDATE cluster SET schema = schema + 1;
            COMMIT;
            """

        /// A lane that the next version has left, with an entry of each of two signals.
        private static let lane = """
            BEGIN;
            INSERT INTO lane (id, epoch, node, until, tail, total, bucket)
                SELECT 7, 1, NULL, now() - interval '1 minute', (7::bigint << 48) + 2, 200, bucket
                FROM cluster;
            INSERT INTO reader (lane, name, place, passed)
                SELECT 7, name, 7::bigint << 48, 0 FROM reader WHERE lane = 0;
            INSERT INTO entry (bucket, number, key, arrival, signal, total, size, form, body)
                SELECT c.bucket, (7::bigint << 48) + n, decode(repeat('0' || n, 16), 'hex'),
                    e.arrival, CASE n WHEN 1 THEN e.signal ELSE 99 END, 100 * n, e.size, e.form, e.body
                FROM cluster c, generate_series(1, 2) n, (SELECT * FROM entry ORDER BY number LIMIT 1) e;
            COMMIT;
            """

        @Test("one works with the tables of the next one, and leaves entries that it cannot read")
        func nextVersion() async throws {
            let cluster = try await TestCluster(nodes: 2)
            let (backend, sites, database) = (cluster.backend, cluster.sites, cluster.database)
            func send(_ id: String, to site: Site) async throws {
                let body = try Requests.logs([Requests.plain(id)])
                try await site.client.deliver(logs: body)
                #expect(await eventually { !backend.copies(of: id).isEmpty }, "\(id)")
            }
            var first = try await sites[0].start()
            try await send("before", to: sites[0])
            try database.execute(Self.migration, database: cluster.name)
            try await send("after", to: sites[0])
            #expect(try await sites[0].client.upload(library(1)).status == 201)
            // A node of this version starts beside the next one.
            let second = try await sites[1].start()
            try await send("second", to: sites[1])

            try database.execute(Self.lane, database: cluster.name)
            #expect(await eventually { backend.copies(of: "before").count == 2 })
            let isReleased = try await eventually {
                try database.execute(
                    "SELECT node IS NULL FROM lane WHERE id = 7", database: cluster.name) == "t"
            }
            #expect(isReleased)
            for (name, site) in [("third", sites[0]), ("fourth", sites[1])] {
                try await send(name, to: site)
            }
            // A node that starts takes another lane.
            #expect(await first.stop() == 0)
            first = try await sites[0].start()
            try await send("fifth", to: sites[0])
            let place = try database.execute(
                "SELECT min(place) - (7::bigint << 48) FROM reader WHERE lane = 7",
                database: cluster.name)
            #expect(place == "1")

            // Beyond this, the next version cannot work beside this one.
            try database.execute("UPDATE cluster SET oldest = schema", database: cluster.name)
            for node in [first, second] { #expect(await node.stop() == 0) }
            let refused = try sites[0].launch()
            #expect(await refused.status == 1)
            let log = try String(contentsOf: refused.log, encoding: .utf8)
            #expect(log.contains("install a later version of symbolist"), "\(log.suffix(500))")
            await cluster.end()
        }
    }
}
