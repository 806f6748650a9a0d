import ErrorDescriptions
import Ingest

/// Appends each batch to a file as a line of OTLP's JSON mapping, and has it on the disk before it
/// counts as taken.
struct FileExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let file: JSONLinesFile

    init(_ checks: SettingsChecks) throws(ExporterSettingsError) {
        let settings = checks.settings
        guard let path = settings.path, !path.isEmpty else {
            throw checks.error("path", "is missing: give the path of a file")
        }
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        do { file = try JSONLinesFile(path: path, rotation: settings.rotation) } catch {
            throw checks.error("path", "'\(path)' can't be written: \(ErrorDescription(error))")
        }
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        await LineExport.outcome(of: batch) { try file.append($0) }
    }

    func run() async {}
}
