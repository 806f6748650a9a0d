import Foundation
import Glibc
import TestSupport

/// A temporary folder for one test, in which the built executable runs with its own cache.
final class Workspace: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Creates a workspace in a subfolder of another one.
    init(in name: String, of other: Workspace) throws {
        folder = other.folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var cache: URL { folder.appendingPathComponent("cache") }

    /// Returns the path of a file in the folder, after writing the contents if there are any.
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

    /// Copies a file or folder of the project into the folder.
    func copy(_ path: String, to name: String) throws {
        let target = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: projectFolder.appendingPathComponent(path), to: target)
    }

    /// Returns the environment of a run: the tests' own without variables that change output.
    func environment(_ changes: [String: String] = [:]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        for name in ["SYMBOLIST_SYMBOLS", "NO_COLOR", "TERM", "COLUMNS", "CI"] {
            environment[name] = nil
        }
        environment["SYMBOLIST_CACHE"] = cache.path
        environment["XDG_DATA_HOME"] = folder.appendingPathComponent("data").path
        // Installed debug files would change output.
        environment["SYMBOLIST_DEBUG_FOLDERS"] = "none"
        return environment.merging(changes) { $1 }
    }
}

/// The built executable, next to the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist")
