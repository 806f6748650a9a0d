public import Foundation
import TestSupport

/// A PostgreSQL server in a folder of its own, on a socket and a free TCP port.
///
/// The user `symbolist` needs no password on the socket, and ``password`` over TCP. The server is
/// stopped and its folder removed with the value, or when the test process ends.
public final class TestServer: Sendable {
    public static let password = "correct horse battery staple"

    /// The server of all tests that do not stop theirs.
    public static var shared: TestServer {
        get throws { try sharedServer.get() }
    }

    private static let sharedServer = Result { try TestServer() }

    /// An initialised data folder, which servers copy, because initialising takes seconds.
    private static let template = Result {
        let folder = try ServerTools.makeFolder()
        let cleanUp = try CleanUp("rm -rf '\(folder.path)'")
        let tools = try ServerTools()
        try shell(
            """
            printf '%s' '\(password)' > password; chmod 644 password
            \(ServerTools.asOrdinaryUser)\(tools.folder)/initdb -D data -U symbolist -E UTF8 \
                --locale=C --no-sync --auth-local=trust --auth-host=scram-sha-256 \
                --pwfile=password
            """, in: folder)
        return (folder: folder, cleanUp: cleanUp, tools: tools)
    }

    public let folder: URL
    public let port: Int
    private let tools: ServerTools
    private let cleanUp: CleanUp

    /// Starts a server.
    ///
    /// - Parameter configuration: Lines for `postgresql.conf`.
    /// - Throws: An error that says what to install if there is no PostgreSQL.
    public init(configuration: String = "") throws {
        let template = try Self.template.get()
        tools = template.tools
        folder = try ServerTools.makeFolder()
        port = try freePort()
        cleanUp = try CleanUp(
            """
            \(ServerTools.asOrdinaryUser)\(tools.folder)/pg_ctl -D '\(folder.path)/data' \
                -m immediate stop; rm -rf '\(folder.path)'
            """)
        try shell("cp -a '\(template.folder.path)/data' data", in: folder)
        let file = folder.appendingPathComponent("data/postgresql.conf")
        let settings = try String(contentsOf: file, encoding: .utf8) + "\n" + self.settings
        try Data((settings + configuration).utf8).write(to: file)
        try start()
    }

    /// Losing the machine is not tested, so nothing waits for the disk.
    private var settings: String {
        """
        listen_addresses = '127.0.0.1'
        port = \(port)
        unix_socket_directories = '\(folder.path)'
        max_connections = 300
        shared_buffers = 16MB
        fsync = off
        full_page_writes = off

        """
    }

    /// Starts the server after ``kill()``.
    public func start() throws {
        try launch("\(ServerTools.asOrdinaryUser)\(tools.folder)/postgres -D data", in: folder)
        try shell(
            """
            for attempt in $(seq 1200); do
                \(tools.folder)/pg_isready -q -h "$PWD" -p \(port) && exit 0
                sleep 0.1
            done
            tail -20 log; exit 1
            """, in: folder)
    }

    /// Kills all processes of the server at once, as a crash of the machine would.
    public func kill() throws {
        try signal(
            "-9",
            then: """
                for process in $all; do
                    while grep -qs '^State:[[:space:]]*[^ZX]' /proc/$process/status; do
                        sleep 0.1
                    done
                done
                rm -f data/postmaster.pid
                """)
    }

    /// Stops all processes of the server, which still accepts connections and never responds.
    public func pause() throws { try signal("-STOP") }

    /// Continues the processes after ``pause()``.
    public func resume() throws { try signal("-CONT") }

    /// The main process makes no others meanwhile. One that ends by itself meanwhile is not
    /// signalled.
    private func signal(_ name: String, then command: String = ":") throws {
        try shell(
            """
            main=$(head -1 data/postmaster.pid)
            kill -STOP $main
            all="$main $(grep -ls "^PPid:[[:space:]]*$main$" /proc/[0-9]*/status | cut -d / -f 3)"
            kill \(name) $all || true
            \(command)
            """, in: folder)
    }

    /// Makes an empty database.
    public func makeDatabase(_ name: String) throws {
        try shell(
            "\(tools.folder)/createdb -h \"$PWD\" -p \(port) -U symbolist \(name)", in: folder)
    }

    /// Executes a statement in the database `postgres`.
    ///
    /// - Parameter statement: Without single quotes.
    public func execute(_ statement: String) throws {
        try shell(
            """
            \(tools.folder)/psql -h "$PWD" -p \(port) -U symbolist -d postgres -q \
                -v ON_ERROR_STOP=1 -c '\(statement)'
            """, in: folder)
    }

    /// Removes a database, and ends its sessions.
    public func removeDatabase(_ name: String) throws {
        try shell(
            "\(tools.folder)/dropdb -f -h \"$PWD\" -p \(port) -U symbolist \(name)", in: folder)
    }

    /// The URL of a database over the socket.
    public func url(database: String = "postgres") -> String {
        let host = folder.path.replacing("/", with: "%2F")
        return "postgres://symbolist@\(host):\(port)/\(database)"
    }

    /// The URL of a database over TCP, without the password.
    public func tcpURL(database: String = "postgres") -> String {
        "postgres://symbolist@127.0.0.1:\(port)/\(database)"
    }
}
