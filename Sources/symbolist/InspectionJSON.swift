import CallStacks
import DebugFiles
import JSONText
import SymbolStores

/// What `inspect --json` prints: `{"files": [{"path", "uuid", "arch", "kind", "platform",
/// "dwarf_versions", "has": {"functions", "lines", "inlines", "symbols"}, "quality", "producers",
/// "bytes", "warnings"}]}`. A warning is a text that begins with its code: `no-debug-info: …`.
///
/// Of a report it says besides: `"images": [{"uuid", "name", "arch", "verdict", "path", "reason"}]`.
struct InspectionJSON {
    private var writer = JSONWriter(layout: .pretty)

    /// - Parameter matches: What the files can do for the images of a report, if there is one.
    init(_ slices: [DebugFileInspection.Slice], matches: [ImageMatch]? = nil) {
        writer.beginObject()
        writer.key("files")
        writer.beginArray()
        for slice in slices { add(slice) }
        writer.endArray()
        if let matches {
            writer.key("images")
            writer.beginArray()
            for match in matches { add(match) }
            writer.endArray()
        }
        writer.endObject()
    }

    private mutating func add(_ match: ImageMatch) {
        writer.beginObject()
        string("uuid", match.image.id?.description)
        string("name", match.image.name)
        string("arch", match.image.architecture)
        string("verdict", match.verdict.name)
        string("path", match.verdict.path)
        string("reason", match.verdict.reason)
        writer.endObject()
    }

    var text: String { writer.text }

    private mutating func add(_ slice: DebugFileInspection.Slice) {
        let summary = slice.summary
        writer.beginObject()
        string("path", slice.path)
        string("uuid", slice.file.id?.description)
        string("arch", slice.file.architecture.name)
        string("kind", slice.file.kind.rawValue)
        string("platform", slice.file.platform)
        writer.key("dwarf_versions")
        writer.beginArray()
        for version in summary.dwarfVersions { writer.unsigned(UInt64(version)) }
        writer.endArray()
        addContents(of: summary)
        number("quality", summary.quality.rawValue)
        writer.key("producers")
        writer.beginArray()
        for producer in summary.producers { writer.string(producer) }
        writer.endArray()
        number("bytes", slice.file.byteCount)
        addWarnings(of: summary)
        writer.endObject()
    }

    private mutating func addContents(of summary: DebugFileSummary) {
        writer.key("has")
        writer.beginObject()
        let contents = [
            ("functions", summary.hasFunctions), ("lines", summary.hasLines),
            ("inlines", summary.hasInlines), ("symbols", summary.hasSymbols),
        ]
        for (name, isThere) in contents {
            writer.key(name)
            writer.bool(isThere)
        }
        writer.endObject()
    }

    private mutating func addWarnings(of summary: DebugFileSummary) {
        writer.key("warnings")
        writer.beginArray()
        for warning in summary.warnings {
            writer.string("\(warning.code.rawValue): \(warning.text)")
        }
        writer.endArray()
    }

    private mutating func string(_ key: String, _ value: String?) {
        writer.key(key)
        if let value { writer.string(value) } else { writer.null() }
    }

    private mutating func number(_ key: String, _ value: Int) {
        writer.key(key)
        writer.signed(Int64(value))
    }
}
