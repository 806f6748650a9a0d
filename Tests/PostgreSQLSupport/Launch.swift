import Foundation

/// Starts a server in the background, with its output in the file `log` of its folder, and its
/// number in the file `process`.
///
/// Foundation waits until all processes have ended that inherit a socket from the one that it
/// started, so a server that makes itself a daemon would be waited for.
func launch(_ command: String, in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "echo $$ > process; exec \(command) >> log 2>&1"]
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    try process.run()
}
