import CallStacks
import Foundation
import Logging
import SharedDatabase
import Symbolication
import TestSupport

@testable import ObjectStorage
@testable import SharedStorage
@testable import SymbolIntake

/// The parts of a node that work on symbols.
struct SymbolNode {
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes
    let uploads: UploadIntake

    init(
        _ nodes: TestNodes, _ database: SharedDatabase, _ bucket: Bucket? = nil,
        _ change: (inout IntakeSettings) -> Void = { _ in }
    ) throws {
        var settings = IntakeSettings(
            data: nodes.folder.path("data-\(UUID().uuidString)"), workerCount: 2,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        settings.executable = executable
        change(&settings)
        let bucket = bucket ?? nodes.bucket
        let node = ClusterNode(name: "test")
        storage = SymbolStorage(
            settings: settings, catalogue: database,
            blobs: BlobBucket(bucket, database: database, grace: .seconds(86_400)),
            sharedIndexes: IndexBucket(bucket, database: database, node: node),
            sharedFiles: FileBucket(bucket, database: database, node: node))
        try storage.prepare()
        symbols = StoredSymbolIndexes(storage)
        uploads = UploadIntake(storage, symbols: symbols) { _ in }
    }

    func upload(_ bytes: [UInt8]) async throws -> [IntakeResult] {
        let path = storage.folders.newIncomingPath()
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try await uploads.process(
            fileAt: path, named: "library", options: UploadOptions(owner: .everyone))
    }

    /// Returns the functions at an offset of the library, or the status if there are none.
    func names() async -> [String] {
        guard let image = ImageID(bytes: [UInt8](repeating: 1, count: 20)) else { return [] }
        var lookup = OffsetLookup(provider: symbols.provider(for: .everything))
        let answer = await lookup.result(for: image, at: ImageOffset(0x1018))
        let frames = lookup.frames(of: answer)
        return frames.isEmpty ? [answer.status.rawValue] : frames.map { $0.function ?? "?" }
    }
}

/// The built executable, next to the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist").path

/// Returns an ELF library with the function `f`, whose identity is `number` repeated some times.
func testLibrary(_ number: UInt8, count: Int = 20) -> [UInt8] {
    var file = ELFBuilder.library(buildID: [UInt8](repeating: number, count: count))
    file.add([.init("f", at: 0x1010, size: 0x10)])
    return file.bytes()
}
