import Foundation
import TestSupport
import Testing

/// A program, mostly of another project, that was run to its end without blocking a thread.
struct PeerProcess {
    let status: Int32
    let output: String
    let errors: String

    /// Python, with the packages that `Scripts/install-peers` installs.
    static let python = projectFolder.appendingPathComponent(".build-peers/bin/python").path

    /// `Scripts/test` installs the peers and requires them; otherwise they are used if installed.
    static func isWanted(_ program: String) -> Bool {
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"
            || FileManager.default.isExecutableFile(atPath: program)
    }

    /// - Parameter folder: The working folder, which also receives the output.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        in folder: TestFolder
    ) async throws {
        let outputs = try ["out", "err"].map { ending in
            try folder.write("", to: "\(UUID().uuidString).\(ending)")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.lowercased().hasSuffix("_proxy") }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let handles = try outputs.map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        let (endings, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        try process.run()
        for handle in handles { try handle.close() }
        var status: Int32 = -1
        for await ending in endings {
            status = ending
            break
        }
        self.status = status
        output = try String(contentsOf: URL(fileURLWithPath: outputs[0]), encoding: .utf8)
        errors = try String(contentsOf: URL(fileURLWithPath: outputs[1]), encoding: .utf8)
    }
}
