import ClientLibraries
import Problems

/// The address of a database, and how to connect to it.
///
/// Neither its description nor an error contains a password.
public struct ConnectionSettings: Sendable {
    /// The names and values of libpq's parameters, without the password of the file.
    private let parameters: [(name: String, value: String)]
    private let passwordFile: PasswordFile?
    /// The hosts and the database, such as `db1:5432,db2:5432/symbolist`, or the service that names
    /// them, such as `service=symbolist`.
    public let displayName: String

    /// Parameters that the URL can override.
    ///
    /// With several hosts, the one that accepts writes is used. Connecting to a host fails after 5
    /// seconds without a response, and a connection is lost when the other side has acknowledged
    /// nothing for 10 seconds.
    private static let defaults = [
        ("target_session_attrs", "read-write"), ("connect_timeout", "5"),
        ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
        ("keepalives_count", "3"), ("application_name", "symbolist"),
    ]

    /// - Parameters:
    ///   - url: A URL as libpq reads it,
    ///     `postgres://USER@HOST:PORT,HOST:PORT/DATABASE?PARAMETER=VALUE`.
    ///   - passwordFile: The path of a file that contains the password, which is read for each
    ///     connection, or `nil` if the URL contains it or none is needed.
    /// - Throws: ``DatabaseError/invalidSettings(_:)`` if the URL is invalid, or
    ///   ``DatabaseError/libraryUnavailable(_:)``.
    public init(url: String, passwordFile: String? = nil) throws(DatabaseError) {
        try self.init(url: url, passwordFile: passwordFile, library: try LibPQ.loaded.get())
    }

    init(url: String, passwordFile: String?, library: LibPQ) throws(DatabaseError) {
        var given = try Self.parse(url, library: library)
        for (name, value) in Self.defaults where given[name] == nil { given[name] = value }
        // Text is read as UTF-8.
        given["client_encoding"] = "UTF8"
        if passwordFile != nil { given["password"] = nil }
        displayName = Self.displayName(given)
        parameters = given.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.passwordFile = passwordFile.map(PasswordFile.init(path:))
    }

    private static func parse(
        _ url: String, library: LibPQ
    ) throws(DatabaseError) -> [String: String] {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw invalid("is not a PostgreSQL URL")
        }
        guard !url.utf8.contains(0) else { throw invalid("contains a NUL character") }
        return try library.options(in: url)
    }

    static func invalid(_ detail: String) -> DatabaseError {
        .invalidSettings(
            Problem(
                "database.url", detail: detail,
                suggestion: "use a URL such as postgres://symbolist@db.example.com/symbolist"))
    }

    private static func displayName(_ parameters: [String: String]) -> String {
        let service = parameters["service"].map { "service=\($0)" }
        let hosts = (parameters["host"] ?? parameters["hostaddr"] ?? service ?? "socket").split(
            separator: ",", omittingEmptySubsequences: false)
        let ports = (parameters["port"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        let addresses = hosts.enumerated().map { index, host in
            let port = ports.indices.contains(index) ? ports[index] : ports.first ?? ""
            return port.isEmpty ? String(host) : "\(host):\(port)"
        }
        let database = parameters["dbname"].map { "/\($0)" } ?? ""
        return addresses.joined(separator: ",") + database
    }

    /// Returns the parameters with the password, which is read from its file.
    ///
    /// - Throws: ``DatabaseError/invalidSettings(_:)`` if the file cannot be read.
    func complete() throws(DatabaseError) -> [(name: String, value: String)] {
        guard let passwordFile else { return parameters }
        return parameters + [("password", try Self.password(in: passwordFile))]
    }

    private static func password(in file: PasswordFile) throws(DatabaseError) -> String {
        do throws(PasswordFileError) {
            return try file.password()
        } catch {
            throw .invalidSettings(
                Problem(file.path, detail: error.detail, suggestion: "check database.password_file")
            )
        }
    }
}

extension ConnectionSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { displayName }
    public var customMirror: Mirror { Mirror(self, children: ["displayName": displayName]) }
}
