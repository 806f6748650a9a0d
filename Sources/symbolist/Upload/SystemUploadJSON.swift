import CallStacks
import JSONText
import ServiceClient
import SymbolStores

/// The output of `upload --system --json`: `{"schema": 1, "slices": […], "absent": [{"uuid", "name",
/// "systems": [{"os", "build", "arch", "diagnostics"}]}], "summary": {…}}`.
///
/// The rows of `slices` are those of `upload --json`. All images are sent in one archive, so the
/// number of sent bytes is in the summary and not in the rows. `absent` lists the images that
/// diagnostics wait for and that are not in the paths.
struct SystemUploadJSON {
    private var writer = JSONWriter(layout: .pretty)

    init(_ result: SystemUpload.Result, of list: SystemImageList, isDryRun: Bool) {
        writer.beginObject()
        writer.member("schema", 1)
        writer.array("slices", result.rows) { $0.write($1, isDryRun: isDryRun) }
        writer.array("absent", result.absent) { $0.write($1) }
        writer.key("summary")
        writer.writeSummary(result, imageCount: list.images.count, isDryRun: isDryRun)
        writer.endObject()
    }

    /// The document and a line feed.
    var text: String { writer.text + "\n" }
}

extension SystemUpload.Row {
    fileprivate func status(isDryRun: Bool) -> UploadRow.Status {
        if problem != nil { return .failed }
        return isDryRun ? .missing : .uploaded
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ row: SystemUpload.Row, isDryRun: Bool) {
        beginObject()
        member("path", row.image.displayPath)
        member("name", row.image.name)
        member("arch", row.image.architecture.name)
        member("uuid", row.image.id.description)
        member("quality", row.hasAllSymbols ? 2 : 1)
        member("status", row.status(isDryRun: isDryRun).rawValue)
        member("reason", row.problem)
        member("bytes", UInt64(row.byteCount))
        member("sent", nil as UInt64?)
        array("warnings", EmptyCollection<Void>()) { _, _ in }
        endObject()
    }

    fileprivate mutating func write(_ image: MissingSystemImage) {
        beginObject()
        member("uuid", image.id.description)
        member("name", image.name)
        array("systems", image.waits) { writer, wait in
            writer.beginObject()
            writer.member("os", wait.system.name)
            writer.member("build", wait.system.build)
            writer.member("arch", wait.system.architecture)
            writer.member("diagnostics", UInt64(clamping: wait.diagnosticCount))
            writer.endObject()
        }
        endObject()
    }

    fileprivate mutating func writeSummary(
        _ result: SystemUpload.Result, imageCount: Int, isDryRun: Bool
    ) {
        beginObject()
        member("images", UInt64(imageCount))
        member("chosen", UInt64(result.chosenCount))
        let statuses = result.rows.map { $0.status(isDryRun: isDryRun) }
        member("uploaded", UInt64(statuses.count { $0 == .uploaded }))
        member("missing", UInt64(statuses.count { $0 == .missing }))
        member("failed", UInt64(result.chosenCount - statuses.count { $0 != .failed }))
        member("absent", UInt64(result.absent.count))
        member("bytes", UInt64(result.rows.reduce(0) { $0 + $1.byteCount }))
        member("sent", UInt64(clamping: result.packedByteCount))
        endObject()
    }
}
