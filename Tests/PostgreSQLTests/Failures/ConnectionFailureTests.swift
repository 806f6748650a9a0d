import PostgreSQL
import PostgreSQLSupport
import Problems
import TestSupport
import Testing

@Suite("Failures to connect", .ownThreads)
struct ConnectionFailureTests {
    private func error(_ url: String, passwordFile: String? = nil) async throws -> DatabaseError? {
        let settings = try ConnectionSettings(url: url, passwordFile: passwordFile)
        var error: DatabaseError?
        try await withPool(settings) { pool in
            error = await databaseError { try await pool.run("SELECT 1") }
        }
        return error
    }

    @Test("a password is read from its file")
    func password() async throws {
        let folder = try TestFolder()
        let file = try folder.write("\(TestServer.password)\n", to: "password")
        let settings = try ConnectionSettings(url: TestServer.shared.tcpURL(), passwordFile: file)
        try await withPool(settings) { pool in
            let value = try await pool.value(.int4, "SELECT 1")
            #expect(value == 1)
        }
        #expect(!"\(settings)".contains("correct"))
        #expect(!String(reflecting: settings).contains("correct"))
    }

    @Test("a wrong password")
    func wrongPassword() async throws {
        let folder = try TestFolder()
        let file = try folder.write("open sesame", to: "password")
        let error = try await error(TestServer.shared.tcpURL(), passwordFile: file)
        let port = try TestServer.shared.port
        #expect(
            error
                == .cannotConnect([
                    HostFailure(
                        host: "127.0.0.1:\(port)",
                        reason: "password authentication failed for user \"symbolist\"")
                ]))
        #expect(error?.problem.suggestion == "check the user and database.password_file")
    }

    @Test("a missing password file, an empty one, and one that is too large")
    func passwordFile() async throws {
        let folder = try TestFolder()
        let url = try TestServer.shared.tcpURL()
        let missing = folder.path("missing")
        let error = try await error(url, passwordFile: missing)
        #expect(
            error.map { "\($0)" }
                == "\(missing): cannot be read: No such file or directory: check database.password_file"
        )
        let empty = try folder.write("\n", to: "empty")
        #expect(try await self.error(url, passwordFile: empty)?.problem.detail == "is empty")
        let large = try folder.write([UInt8](repeating: 97, count: 4097), to: "large")
        #expect(
            try await self.error(url, passwordFile: large)?.problem.detail
                == "is larger than 4096 bytes")
    }

    @Test("every unreachable host is reported with its reason")
    func unreachable() async throws {
        // Port 1 is reserved, and names below .invalid do not exist.
        let error = try await error("postgres://x@127.0.0.1:1,host.invalid:2/postgres")
        guard case .cannotConnect(let failures) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failures.count == 2)
        #expect(failures.first == HostFailure(host: "127.0.0.1:1", reason: "Connection refused"))
        #expect(failures.last?.host == "host.invalid")
    }

    @Test("the first host that accepts writes is used")
    func severalHosts() async throws {
        let server = try TestServer.shared
        let folder = try TestFolder()
        let file = try folder.write(TestServer.password, to: "password")
        let settings = try ConnectionSettings(
            url: "postgres://symbolist@127.0.0.1:1,127.0.0.1:\(server.port)/postgres",
            passwordFile: file)
        try await withPool(settings) { pool in
            let value = try await pool.value(.int4, "SELECT 1")
            #expect(value == 1)
        }
    }

    @Test("a host that refuses writes is not used")
    func readOnlyHost() async throws {
        let url = try TestServer.shared.url()
        let options = "?options=-c%20default_transaction_read_only%3Don"
        let error = try await error(url + options)
        #expect(error?.problem.suggestion == "add the primary to database.url")
    }

    @Test("the defaults of a connection can be overridden by the URL")
    func defaults() async throws {
        let name = "SELECT current_setting('application_name')"
        let url = try TestServer.shared.url()
        try await withPool(try ConnectionSettings(url: url)) { pool in
            let value = try await pool.value(.text, name)
            #expect(value == "symbolist")
        }
        let other = try ConnectionSettings(url: "\(url)?application_name=other")
        try await withPool(other) { pool in
            let value = try await pool.value(.text, name)
            #expect(value == "other")
        }
    }
}
