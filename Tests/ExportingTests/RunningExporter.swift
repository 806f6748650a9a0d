import Exporting
import Foundation
import Ingest
import TestSupport

/// Creates an exporter with some settings, keeps it open while it is used, and closes it.
func withExporter<Result: Sendable>(
    _ kind: ExporterSettings.Kind, _ set: (inout ExporterSettings) -> Void,
    use: @escaping @Sendable (any Exporter) async throws -> Result
) async throws -> Result {
    var settings = ExporterSettings(kind: kind, name: "test")
    // Longer than the default, because responses are slow on a machine that runs all tests at once.
    settings.timeout = .seconds(600)
    set(&settings)
    let exporter = try settings.exporter(key: "export[0]")
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await exporter.run() }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await use(exporter)) } catch { result = .failure(error) }
        group.cancelAll()
        try await group.waitForAll()
        return try result.get()
    }
}

/// A folder that is removed with the test.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "exporting-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a text to a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }
}
