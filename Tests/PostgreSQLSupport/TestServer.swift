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
    let tools: ServerTools
    /// The size in bytes that no file of the server may exceed.
    private let fileSizeLimit: Int?
    private let cleanUp: CleanUp

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - configuration: Lines for `postgresql.conf`.
    ///   - fileSizeLimit: The size in bytes beyond which a file cannot grow, as on a full disk. Not
    ///     less than a file of the log, 16 MiB.
    /// - Throws: An error that says what to install if there is no PostgreSQL.
    public convenience init(configuration: String = "", fileSizeLimit: Int? = nil) throws {
        let template = try Self.template.get()
        try self.init(
            template.tools, dataFrom: "cp -a '\(template.folder.path)/data' data",
            configuration: configuration, fileSizeLimit: fileSizeLimit)
    }

    /// Starts a replica of a server, which accepts no writes until ``promote()``.
    public convenience init(replicaOf primary: TestServer) throws {
        let tools = primary.tools
        try self.init(
            tools,
            dataFrom: """
                \(ServerTools.asOrdinaryUser)\(tools.folder)/pg_basebackup -h '\(primary.folder.path)' \
                    -p \(primary.port) -U symbolist -D data -R -c fast -X stream --no-sync
                """)
    }

    /// - Parameter command: Makes the folder `data`.
    private init(
        _ tools: ServerTools, dataFrom command: String, configuration: String = "",
        fileSizeLimit: Int? = nil
    ) throws {
        self.tools = tools
        self.fileSizeLimit = fileSizeLimit
        folder = try ServerTools.makeFolder()
        port = try freePort()
        cleanUp = try CleanUp(
            """
            \(ServerTools.asOrdinaryUser)\(tools.folder)/pg_ctl -D '\(folder.path)/data' \
                -m immediate stop; rm -rf '\(folder.path)'
            """)
        try shell(command, in: folder)
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
        let limit = fileSizeLimit.map { "ulimit -S -f \($0 / 512); " } ?? ""
        try launch(
            "\(ServerTools.asOrdinaryUser)sh -c '\(limit)exec \(tools.folder)/postgres -D data'",
            in: folder)
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

    /// Lets files grow beyond the limit.
    public func liftFileSizeLimit() throws {
        try shell(
            """
            \(allProcesses)
            for process in $all; do
                \(ServerTools.asOrdinaryUser)prlimit --pid $process --fsize=unlimited
            done
            """, in: folder)
    }

    /// Makes a replica accept writes.
    public func promote() throws {
        try shell(
            "\(ServerTools.asOrdinaryUser)\(tools.folder)/pg_ctl promote -s -D data", in: folder)
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
            kill -STOP $(head -1 data/postmaster.pid)
            \(allProcesses)
            kill \(name) $all || true
            \(command)
            """, in: folder)
    }

    private var allProcesses: String {
        """
        main=$(head -1 data/postmaster.pid)
        all="$main $(grep -ls "^PPid:[[:space:]]*$main$" /proc/[0-9]*/status | cut -d / -f 3)"
        """
    }

    /// Executes statements.
    ///
    /// - Returns: The values of their rows, one row a line.
    @discardableResult
    public func execute(_ statements: String, database: String = "postgres") throws -> String {
        let name = "statements-\(UUID().uuidString.prefix(13))"
        let (input, output) = (
            folder.appendingPathComponent(name), folder.appendingPathComponent("\(name).out")
        )
        try Data(statements.utf8).write(to: input)
        try shell(
            """
            \(tools.folder)/psql -h "$PWD" -p \(port) -U symbolist -d \(database) -X -A -t -q \
                -v ON_ERROR_STOP=1 -f \(name) -o \(name).out
            """, in: folder)
        return try String(contentsOf: output, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes an empty database.
    public func makeDatabase(_ name: String) throws {
        try shell(
            "\(tools.folder)/createdb -h \"$PWD\" -p \(port) -U symbolist \(name)", in: folder)
    }

    /// Removes a database, and ends its sessions.
    public func removeDatabase(_ name: String) throws {
        try shell(
            "\(tools.folder)/dropdb -f -h \"$PWD\" -p \(port) -U symbolist \(name)", in: folder)
    }

    /// The path of the socket.
    public var socketPath: String { "\(folder.path)/.s.PGSQL.\(port)" }

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
