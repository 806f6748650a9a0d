import Problems
import Testing

@testable import PostgreSQL

@Suite("Connection settings")
struct SettingsTests {
    @Test(
        "an invalid URL is refused without repeating what may be secret",
        arguments: [
            ("mysql://u:secret@db/x", "is not a PostgreSQL URL"),
            ("host=db password=secret", "is not a PostgreSQL URL"),
            ("postgres://u:secret%zz@db/x", "invalid percent-encoded token"),
            ("postgres://u@db/x?colour=secret", "invalid URI query parameter: \"colour\""),
            ("postgres://u:secret@db\0/x", "contains a NUL character"),
        ])
    func invalid(url: String, detail: String) throws {
        let error = #expect(throws: DatabaseError.self) { try ConnectionSettings(url: url) }
        #expect(error?.problem.detail == detail)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test("a description has hosts and database, and no password")
    func description() throws {
        let settings = try ConnectionSettings(
            url: "postgresql://u:secret@db1:5432,db2:5433/symbolist?sslmode=require")
        #expect("\(settings)" == "db1:5432,db2:5433/symbolist")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test(
        "a service is named by its name, and a socket is not taken for a host",
        arguments: [
            ("postgres://?service=main", "service=main"),
            ("postgres:///symbolist", "socket/symbolist"),
            ("postgres:///x?hostaddr=10.0.0.7", "10.0.0.7/x"),
            ("postgres://db1/x?service=main", "db1/x"),
        ])
    func service(url: String, name: String) throws {
        #expect(try ConnectionSettings(url: url).displayName == name)
    }

    @Test("a missing library is reported with the package to install")
    func missingLibrary() {
        let error = #expect(throws: DatabaseError.self) { try LibPQ(path: "libpq-missing.so.5") }
        #expect(
            error.map { "\($0)" } == """
                database: libpq cannot be loaded: libpq-missing.so.5: cannot open shared object file: \
                No such file or directory: install libpq 14 or later (package libpq5)
                """)
    }

    @Test("a library without the functions is reported")
    func otherLibrary() {
        let error = #expect(throws: DatabaseError.self) { try LibPQ(path: "libc.so.6") }
        #expect(error?.problem.detail.contains("undefined symbol: PQconnectdbParams") == true)
    }

    @Test("the failures of libpq's messages")
    func messages() {
        let message = """
            could not translate host name "db2" to address: Name or service not known
            connection to server at "db1" (10.0.0.7), port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server on socket "/run/.s.PGSQL.5432" failed: FATAL:  no such database
            HINT:  make one
            """
        #expect(
            HostFailure.list(from: message) == [
                HostFailure(host: "db2", reason: "Name or service not known"),
                HostFailure(host: "db1:5432", reason: "Connection refused"),
                HostFailure(
                    host: "/run/.s.PGSQL.5432", reason: "no such database HINT:  make one"),
            ])
        #expect(
            HostFailure.list(from: "out of memory\n") == [
                HostFailure(host: nil, reason: "out of memory")
            ])
        #expect(HostFailure.list(from: "") == [])
    }

    @Test(
        "a server without a free connection is not reported as one that does not run",
        arguments: [
            "sorry, too many clients already", "too many connections for role \"symbolist\"",
            "remaining connection slots are reserved for roles with the SUPERUSER attribute",
        ])
    func connectionLimit(_ reason: String) {
        let error = DatabaseError.cannotConnect([HostFailure(host: "db1:5432", reason: reason)])
        #expect(
            error.problem.suggestion
                == "raise max_connections of the server or lower database.connections")
    }

    @Test("a message of several lines is shown on one")
    func lineBreaks() {
        let message = """
            server closed the connection unexpectedly
            \tThis probably means the server terminated abnormally
            \tbefore or while processing the request.

            """
        #expect(
            message.onOneLine == """
                server closed the connection unexpectedly This probably means the server \
                terminated abnormally before or while processing the request.
                """)
    }
}
