import CallStacks
import DebugFiles
import JSONText
import StackRendering
import SymbolStores

/// What `inspect --json` prints: `{"files": [{"path", "uuid", "arch", "kind", "platform",
/// "dwarf_versions", "has": {"functions", "lines", "inlines", "symbols"}, "quality", "will_give",
/// "symbol_map", "producers", "bytes", "warnings"}]}`. A warning is a text that begins with its code:
/// `no-debug-info: …`.
///
/// Of reports it says besides: `"images": [{"uuid", "name", "arch", "frames", "status", "verdict",
/// "path", "reason"}]`, and `"reports": [{"path", "format", "kind", "title", "app", "version",
/// "build", "os", "device", "arch", "time", "frames", "remarks", "images"}]`. A status is `found`,
/// `missing`, `no_uuid` or null, where nobody gave symbols.
struct InspectionJSON {
    private var writer = JSONWriter(layout: .pretty)

    /// - Parameter showsFrames: Whether reports have every physical frame, as `"stacks"`.
    init(
        _ slices: [DebugFileInspection.Slice], reports: [InspectedReport], showsFrames: Bool
    ) {
        writer.beginObject()
        writer.key("files")
        writer.beginArray()
        for slice in slices { add(slice) }
        writer.endArray()
        if !reports.isEmpty {
            writer.array("images", reports.flatMap(\.images)) { $0.write($1) }
            writer.array("reports", reports) { $0.write($1, showsFrames: showsFrames) }
        }
        writer.endObject()
    }

    var text: String { writer.text }

    private mutating func add(_ slice: DebugFileInspection.Slice) {
        let summary = slice.summary
        writer.beginObject()
        writer.member("path", slice.path)
        writer.member("uuid", slice.file.id?.description)
        writer.member("arch", slice.file.architecture.name)
        writer.member("kind", slice.file.kind.rawValue)
        writer.member("platform", slice.file.platform)
        writer.array("dwarf_versions", summary.dwarfVersions) { $0.unsigned(UInt64($1)) }
        addContents(of: summary)
        writer.member("quality", UInt64(clamping: summary.quality.rawValue))
        writer.member("will_give", slice.promise)
        writer.member("symbol_map", slice.symbolMap)
        writer.array("producers", summary.producers) { $0.string($1) }
        writer.member("bytes", UInt64(clamping: slice.file.byteCount))
        writer.array("warnings", slice.warnings) { $0.string($1.line) }
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
}
