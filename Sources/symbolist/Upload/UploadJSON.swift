import CallStacks
import DebugFiles
import JSONText
import Problems
import ServiceClient

/// The output of `upload --json`: `{"schema": 1, "slices": [{"path", "name", "arch", "uuid",
/// "quality", "status", "reason", "bytes", "sent", "warnings"}], "required": [{"name", "arch",
/// "uuid"}], "summary": {…}}`. `required` lists required images without symbols.
struct UploadJSON {
    private var writer = JSONWriter(layout: .pretty)

    init(_ inputs: UploadInputs, result: UploadResult) {
        writer.beginObject()
        number("schema", 1)
        writer.key("slices")
        writer.beginArray()
        for row in result.rows + inputs.skipped { add(row) }
        writer.endArray()
        writer.key("required")
        writer.beginArray()
        for image in result.unmet {
            writer.beginObject()
            string("name", image.name)
            string("arch", image.architecture)
            string("uuid", image.image.description)
            writer.endObject()
        }
        writer.endArray()
        addSummary(inputs, result: result)
        writer.endObject()
    }

    var text: String { writer.text }

    private mutating func add(_ row: UploadRow) {
        writer.beginObject()
        string("path", row.path)
        string("name", row.name)
        string("arch", row.architecture)
        string("uuid", row.image?.description)
        number("quality", Int64(row.quality.rawValue))
        string("status", row.status.rawValue)
        string("reason", row.reason)
        number("bytes", row.byteCount)
        number("sent", row.sentByteCount)
        writer.key("warnings")
        writer.beginArray()
        for warning in row.warnings { writer.string(warning.line) }
        writer.endArray()
        writer.endObject()
    }

    private mutating func addSummary(_ inputs: UploadInputs, result: UploadResult) {
        writer.key("summary")
        writer.beginObject()
        number("files", Int64(inputs.fileCount))
        number("slices", Int64(result.rows.count))
        for status in [UploadRow.Status.present, .uploaded, .missing, .failed] {
            writer.key(status.rawValue)
            writer.unsigned(UInt64(result.rows.count { $0.status == status }))
        }
        number("skipped", Int64(inputs.skipped.count))
        number("unindexed", Int64(result.unindexed.count))
        number("bytes", result.rows.reduce(0) { $0 + $1.byteCount })
        number("sent", result.rows.reduce(0) { $0 + $1.sentByteCount })
        string("error", result.ending?.description)
        writer.endObject()
    }

    private mutating func string(_ key: String, _ value: String?) {
        writer.key(key)
        if let value { writer.string(value) } else { writer.null() }
    }

    private mutating func number(_ key: String, _ value: Int64) {
        writer.key(key)
        writer.signed(value)
    }
}
