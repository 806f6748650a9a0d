import CallStacks
import DebugFiles
import StackRendering
import SymbolStores

/// The text that `inspect` prints for debug files: a paragraph per slice, with labelled lines.
struct InspectionText {
    let text: String

    init(_ slices: [DebugFileInspection.Slice]) {
        text = slices.map(Self.paragraph).joined(separator: "\n")
    }

    private static func paragraph(of slice: DebugFileInspection.Slice) -> String {
        let file = slice.file
        let summary = slice.summary
        let kind = [file.kind.rawValue, file.platform.map { "for \($0)" }]
        var rows = [
            (
                file.kind.isELF ? "build id" : "uuid",
                (file.kind.isELF ? file.id?.hex : file.id?.description) ?? "none"
            ),
            ("arch", file.architecture.name),
            ("kind", kind.compactMap(\.self).joined(separator: " ")),
            ("contains", contents(of: file, summary: summary)),
            ("resolves", slice.capability),
        ]
        if !summary.dwarfVersions.isEmpty {
            rows.append(("dwarf", summary.dwarfVersions.map(String.init).joined(separator: ", ")))
        }
        rows += summary.producers.map { ("made by", $0) }
        rows.append(("size", size(file.byteCount)))
        rows += summary.libdwarfReason.map { [("read by", "libdwarf: \($0)")] } ?? []
        rows += slice.symbolMap.map { [("names", "hidden, and found in \($0)")] } ?? []
        rows += slice.warnings.map { ("warning", $0.line) }
        let lines = rows.map { label, value in
            "  \(padded(label, to: 9)) \(Console.oneLine(value))\n"
        }
        return Console.oneLine(slice.path) + "\n" + lines.joined()
    }

    /// Returns a list such as `functions, lines, inlined calls, 312 symbols`.
    private static func contents(of file: DebugFile, summary: DebugFileSummary) -> String {
        var parts = [
            (summary.hasFunctions, "functions"), (summary.hasLines, "lines"),
            (summary.hasInlines, "inlined calls"),
        ].filter(\.0).map(\.1)
        if summary.hasSymbols {
            parts.append(symbols(summary))
        }
        if file.splitUnits != nil { parts.append("split-off units") }
        if file.kind == .elfSupplement { parts.append("debug information that other files share") }
        if parts.isEmpty { return "neither symbols nor debug information" }
        return parts.joined(separator: ", ")
    }

    private static func symbols(_ summary: DebugFileSummary) -> String {
        let all = counted(summary.symbolCount, "symbol")
        let packed = summary.packedSymbolCount
        return packed > 0 ? "\(all) (\(packed) in .gnu_debugdata)" : all
    }

    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}

/// The output of `inspect --uuid`, in the format that scripts for Apple's tools expect:
///
///     UUID: 4C4C4481-5555-3144-A199-BFCEAE3FE729 (arm64) dSYMs/Orchard.app.dSYM/…/Orchard
struct UUIDLines {
    let text: String

    /// Creates the lines. Slices without an identity have none.
    init(_ slices: [DebugFileInspection.Slice]) {
        text = slices.compactMap { slice in
            slice.file.id.map {
                "UUID: \($0) (\(slice.file.architecture.name)) \(Console.oneLine(slice.path))\n"
            }
        }.joined()
    }
}
