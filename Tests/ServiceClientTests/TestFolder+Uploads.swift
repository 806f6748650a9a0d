import CallStacks
import ContractServer
import DebugFiles
import Foundation
import SymbolStores
import Synchronization
import TestSupport

@testable import ServiceClient

extension TestFolder {
    /// The upload inputs of files in the folder.
    func inputs(_ names: String...) -> UploadInputs {
        UploadInputs(
            paths: names.map(path), unpackingIn: ArchiveFolder(path: path("cache")))
    }
}

/// Records the delays that a test would wait for.
final class Delays: Sendable {
    private let list = Mutex<[Duration]>([])

    var all: [Duration] { list.withLock { $0 } }

    var policy: RetryPolicy {
        var policy = RetryPolicy()
        policy.sleep = sleep
        policy.random = { 1 }
        return policy
    }

    var sleep: @Sendable (Duration) async throws -> Void {
        { delay in self.list.withLock { $0.append(delay) } }
    }
}

let build = Build(app: "com.example.shop", version: "1.4.0 beta", build: "21/07")

extension UploadInputs {
    /// Uploads the files, as the command does.
    func upload(
        to url: String, token: String? = nil, delays: Delays = Delays(),
        requiring required: [RequiredImage] = [],
        _ change: (inout UploadRun.Options) -> Void = { _ in }
    ) async throws -> UploadResult {
        var options = UploadRun.Options()
        change(&options)
        let connection = ServerConnection(
            try ServerAddress(url: url, token: token), retry: delays.policy, timeoutSeconds: 600,
            environment: [:])
        let run = UploadRun(
            self, of: build, to: connection, requiring: required, options: options,
            sleep: delays.sleep)
        let result = await run.run { _ in }
        await connection.close()
        return result
    }
}

/// Returns an ELF library with symbols, whose identity is `number` repeated twenty times.
func library(_ number: UInt8, functions: [String] = ["f"]) -> [UInt8] {
    var file = ELFBuilder.library(buildID: [UInt8](repeating: number, count: 20))
    file.add(functions.map { .init($0, at: 0x1010, size: 0x10) })
    return file.bytes()
}

/// The identity of ``library(_:functions:)``.
func identity(_ number: UInt8) -> ImageID {
    ImageID(bytes: [UInt8](repeating: number, count: 20))!
}
