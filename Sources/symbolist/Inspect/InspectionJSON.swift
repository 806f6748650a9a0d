import CallStacks
import DebugFiles
import JSONText
import StackRendering
import SymbolStores

/// The output of `inspect --json`:
/// `{"files": [{"path", "uuid", "arch", "kind", "platform", "dwarf_versions", "has": {"functions", "lines", "inlines", "symbols"}, "quality", "will_give", "symbol_map", "producers", "bytes", "warnings"}]}`.
/// A warning is a text that begins with its code: `no-debug-info: …`.
///
/// Shared caches follow as `"caches"`, each with its images.
///
/// With reports it also has: `"images": [{"uuid", "name", "arch", "frames", "status", "verdict",
/// "path", "reason"}]`, and `"reports": [{"path", "format", "kind", "title", "app", "version",
/// "build", "os", "device", "arch", "time", "frames", "remarks", "images"}]`. A status is `found`,
/// `missing`, `no_uuid`, or null if no symbols were given.
struct InspectionJSON {
    private var writer = JSONWriter(layout: .pretty)

    /// - Parameter showsFrames: Whether reports include every received frame, as `"stacks"`.
    init(
        _ slices: [DebugFileInspection.Slice], caches: [LocatedCache],
        reports: [InspectedReport], showsFrames: Bool
    ) {
        writer.beginObject()
        writer.array("files", slices) { $0.write($1) }
        if !caches.isEmpty { writer.array("caches", caches) { $0.write($1) } }
        if !reports.isEmpty {
            writer.array("images", reports.flatMap(\.images)) { $0.write($1) }
            writer.array("reports", reports) { $0.write($1, showsFrames: showsFrames) }
        }
        writer.endObject()
    }

    var text: String { writer.text }
}

extension JSONWriter {
    fileprivate mutating func write(_ slice: DebugFileInspection.Slice) {
        let summary = slice.summary
        beginObject()
        member("path", slice.path)
        member("uuid", slice.file.id?.description)
        member("arch", slice.file.architecture.name)
        member("kind", slice.file.kind.rawValue)
        member("platform", slice.file.platform)
        array("dwarf_versions", summary.dwarfVersions) { $0.unsigned(UInt64($1)) }
        writeContents(of: summary)
        member("quality", UInt64(clamping: summary.quality.rawValue))
        member("will_give", slice.capability)
        member("symbol_map", slice.symbolMap)
        array("producers", summary.producers) { $0.string($1) }
        member("bytes", UInt64(clamping: slice.file.byteCount))
        array("warnings", slice.warnings) { $0.string($1.line) }
        endObject()
    }

    private mutating func writeContents(of summary: DebugFileSummary) {
        key("has")
        beginObject()
        member("functions", summary.hasFunctions)
        member("lines", summary.hasLines)
        member("inlines", summary.hasInlines)
        member("symbols", summary.hasSymbols)
        endObject()
    }
}
