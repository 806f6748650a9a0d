public import Foundation

/// The output of a failed shell command.
public struct ShellError: Error, CustomStringConvertible {
    public let description: String
}

/// Runs a shell command in a folder and waits for its end.
///
/// - Throws: ``ShellError`` if it fails, for instance because a tool is missing (`Scripts/install
///   --tests`).
public func shell(_ line: String, in folder: URL) throws {
    // Not beside the folder: other tests list the folders of the project meanwhile.
    let log = FileManager.default.temporaryDirectory
        .appendingPathComponent("shell-\(UUID().uuidString).log")
    defer { try? FileManager.default.removeItem(at: log) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", "{ \(line)\n} > '\(log.path)' 2>&1"]
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw ShellError(description: "\(line): \(text)")
    }
}
