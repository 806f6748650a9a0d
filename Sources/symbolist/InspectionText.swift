import CallStacks
import DebugFiles
import SymbolStores

/// What `inspect` prints for people: a paragraph a slice.
struct InspectionText {
    let text: String

    init(_ slices: [DebugFileInspection.Slice]) {
        text = slices.map(Self.paragraph).joined(separator: "\n")
    }

    private static func paragraph(of slice: DebugFileInspection.Slice) -> String {
        let file = slice.file
        let identity = file.id?.description ?? "no UUID"
        let platform = file.platform.map { " for \($0)" } ?? ""
        var lines = [
            slice.path,
            "  \(identity)  \(file.architecture.name)  \(file.kind.rawValue)\(platform)",
            "  \(contents(of: slice.summary)), \(size(file.byteCount))",
        ]
        lines += slice.summary.producers.map { "  made by \($0)" }
        lines += slice.summary.libdwarfReason.map { ["  read through libdwarf: \($0)"] } ?? []
        lines += slice.summary.warnings.map { "  warning \($0.code.rawValue): \($0.text)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `DWARF 4 with functions, lines, inlined calls; 312 symbols`.
    private static func contents(of summary: DebugFileSummary) -> String {
        let parts = [
            (summary.hasFunctions, "functions"), (summary.hasLines, "lines"),
            (summary.hasInlines, "inlined calls"),
        ].filter(\.0).map(\.1)
        let versions = summary.dwarfVersions.map(String.init).joined(separator: " and ")
        let information =
            parts.isEmpty
            ? "no debug information" : "DWARF \(versions) with \(parts.joined(separator: ", "))"
        return "\(information); \(summary.symbolCount) symbols"
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
        }
    }
}
