import Foundation
import Glibc
import TestSupport

/// A folder of its own for one test, in which the built executable runs with a cache of its own.
final class Workspace: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var cache: URL { folder.appendingPathComponent("cache") }

    /// The path of a file in the folder, written if contents are given.
    @discardableResult
    func file(_ name: String, _ contents: Data? = nil) throws -> String {
        let file = folder.appendingPathComponent(name)
        if let contents {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try contents.write(to: file)
        }
        return file.path
    }

    @discardableResult
    func file(_ name: String, text: String) throws -> String {
        try file(name, Data(text.utf8))
    }

    /// Puts a copy of a file or folder of the project into the folder.
    func copy(_ path: String, to name: String) throws {
        let target = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: projectFolder.appendingPathComponent(path), to: target)
    }

    /// The environment of a run: this one without what would change answers.
    func environment(_ changes: [String: String] = [:]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["SYMBOLIST_SYMBOLS", "NO_COLOR", "TERM", "COLUMNS", "CI"] {
            environment[name] = nil
        }
        environment["SYMBOLIST_CACHE"] = cache.path
        return environment.merging(changes) { $1 }
    }
}

/// Where the built executable is: beside the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist")
