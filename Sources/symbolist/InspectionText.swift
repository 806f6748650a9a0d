import CallStacks
import DebugFiles
import StackRendering
import SymbolStores

/// What `inspect` prints for people: a paragraph a slice, with a label for each line.
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
            (file.kind.isELF ? "build id" : "uuid", file.id?.description ?? "none"),
            ("arch", file.architecture.name),
            ("kind", kind.compactMap(\.self).joined(separator: " ")),
            ("holds", contents(of: file, summary)),
            ("will give", slice.promise),
        ]
        if !summary.dwarfVersions.isEmpty {
            rows.append(("dwarf", summary.dwarfVersions.map(String.init).joined(separator: ", ")))
        }
        rows += summary.producers.map { ("made by", $0) }
        rows.append(("size", size(file.byteCount)))
        rows += summary.libdwarfReason.map { [("read by", "libdwarf: \($0)")] } ?? []
        rows += slice.symbolMap.map { [("names", "hidden, and found in \($0)")] } ?? []
        rows += slice.warnings.map { ("warning", $0.line) }
        let lines = rows.map { label, value in "  \(padded(label, to: 9)) \(value)\n" }
        return slice.path + "\n" + lines.joined()
    }

    /// `functions, lines, inlined calls, 312 symbols`.
    private static func contents(of file: DebugFile, _ summary: DebugFileSummary) -> String {
        var parts = [
            (summary.hasFunctions, "functions"), (summary.hasLines, "lines"),
            (summary.hasInlines, "inlined calls"),
        ].filter(\.0).map(\.1)
        if summary.hasSymbols {
            parts.append(counted(summary.symbolCount, "symbol"))
        }
        if file.splitUnits != nil { parts.append("split-off units") }
        return parts.isEmpty ? "nothing that names code" : parts.joined(separator: ", ")
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}

/// What `inspect --uuid` prints, which scripts read that were written for Apple's tools:
///
///     UUID: 4C4C4481-5555-3144-A199-BFCEAE3FE729 (arm64) dSYMs/Orchard.app.dSYM/…/Orchard
struct UUIDLines {
    let text: String

    /// Slices without an identity have no line.
    init(_ slices: [DebugFileInspection.Slice]) {
        text = slices.compactMap { slice in
            slice.file.id.map { "UUID: \($0) (\(slice.file.architecture.name)) \(slice.path)\n" }
        }.joined()
    }
}
