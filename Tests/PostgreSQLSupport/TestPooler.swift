import Foundation
import TestSupport

/// A `pgbouncer` in front of a server, which changes the server's connection between transactions.
public final class TestPooler: Sendable {
    public let port: Int
    private let cleanUp: CleanUp

    /// - Parameter connections: The number of connections to the server.
    public init(of server: TestServer, connections: Int) throws {
        let folder = try ServerTools.makeFolder()
        let port = try freePort()
        self.port = port
        // A process that a thread of Swift's pool started inherits its blocked signals.
        cleanUp = try CleanUp(
            "kill -9 \"$(cat '\(folder.path)/process')\"; rm -rf '\(folder.path)'")
        let settings = """
            [databases]
            * = host=\(server.folder.path) port=\(server.port) user=symbolist
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = trust
            auth_file = \(folder.path)/users
            pool_mode = transaction
            default_pool_size = \(connections)
            server_reset_query_always = 0
            """
        try Data("\"symbolist\" \"\"\n".utf8).write(to: folder.appendingPathComponent("users"))
        try Data(settings.utf8).write(to: folder.appendingPathComponent("settings"))
        guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer") else {
            throw ServerTools.Missing(program: "pgbouncer")
        }
        try launch("\(ServerTools.asOrdinaryUser)/usr/sbin/pgbouncer settings", in: folder)
        try shell(
            """
            for attempt in $(seq 1200); do
                bash -c '< /dev/tcp/127.0.0.1/\(port)' 2> /dev/null && exit 0
                sleep 0.1
            done
            tail -20 log; exit 1
            """, in: folder)
    }

    public var url: String { url(database: "postgres") }

    /// The URL of a database of the server.
    public func url(database: String) -> String {
        "postgres://symbolist@127.0.0.1:\(port)/\(database)"
    }
}
