import Foundation
import TestSupport

/// The programs of PostgreSQL and how tests run them: as an ordinary user, because the server
/// refuses to run as root.
struct ServerTools: Sendable {
    /// A missing program, and what to install.
    struct Missing: Error, CustomStringConvertible {
        let program: String
        var description: String { "\(program): not found: run Scripts/install --tests" }
    }

    /// The folder with `initdb` and `pg_ctl`.
    let folder: String

    /// Finds the newest installed server.
    init() throws {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let folders = versions.compactMap { Int($0) }.sorted().map { "\(root)/\($0)/bin" }
        let found = folders.last { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
        guard let found else { throw Missing(program: "initdb") }
        folder = found
    }

    /// The words before a command that make root run it as an ordinary user.
    static let asOrdinaryUser =
        getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups " : ""

    /// Makes a new folder that the ordinary user owns, with a path short enough for sockets.
    static func makeFolder() throws -> URL {
        let folder = URL(fileURLWithPath: "/tmp/pg-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        if getuid() == 0 { try shell("chown nobody:nogroup .", in: folder) }
        return folder
    }
}
