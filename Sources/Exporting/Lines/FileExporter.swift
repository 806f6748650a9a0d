import ErrorDescriptions
import Ingest

/// Appends each batch to a file as a line of OTLP's JSON mapping. A batch is accepted once it is on
/// disk.
struct FileExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let file: JSONLinesFile
    private let thread = WritingThread()

    init(_ validator: ExporterSettingsValidator) throws(ExporterSettingsError) {
        let settings = validator.settings
        guard let path = settings.path, !path.isEmpty else {
            throw validator.error(
                "path", detail: "is missing", suggestion: "set the path of a file")
        }
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        do { file = try JSONLinesFile(path: path, rotation: settings.rotation) } catch {
            var unwritable = validator.error(
                "path", detail: "'\(path)' can't be written: \(ErrorDescription(error))")
            unwritable.reason = .unwritableFile
            throw unwritable
        }
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        await LineExport.outcome(of: batch, on: thread) { try file.append($0) }
    }

    func run() async {}
}
