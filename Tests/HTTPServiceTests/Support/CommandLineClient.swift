import Foundation
import TestSupport

/// Runs the executable as a client of a service in this process.
func symbolist(
    _ arguments: [String], environment: [String: String] = [:], in folder: TestFolder
) async throws -> PeerProcess {
    try await PeerProcess(
        executable, arguments,
        environment: environment.merging(["SYMBOLIST_CACHE": folder.url.path + "/cache"]) { $1 },
        in: folder)
}
