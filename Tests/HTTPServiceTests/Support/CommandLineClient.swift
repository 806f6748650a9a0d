import Foundation
import TestSupport

/// Runs the executable as a client of a service in this process.
///
/// - Parameter environment: Its environment, besides a cache in the folder.
func symbolist(
    _ arguments: [String], environment: [String: String] = [:], in folder: TestFolder
) async throws -> (status: Int32, text: String) {
    let output = try folder.write("", to: UUID().uuidString)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.environment = environment.merging(
        ["SYMBOLIST_CACHE": folder.url.path + "/cache"]) { $1 }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardOutput = handle
    // A thread that waited here could be the last one that the service has.
    let (endings, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { end.yield($0.terminationStatus) }
    try process.run()
    try handle.close()
    var status: Int32 = -1
    for await ending in endings {
        status = ending
        break
    }
    return (status, try String(contentsOf: URL(fileURLWithPath: output), encoding: .utf8))
}
