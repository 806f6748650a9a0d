import CallStacks
import DebugFiles
import ServiceClient
import StackRendering

/// The text that `upload` prints: a line per slice, then a summary.
enum UploadText {
    /// Returns a line such as `uploaded  main  arm64   CF441AF5-…  full DWARF  201 kB → 61 kB`.
    static func line(_ row: UploadRow, nameWidth: Int) -> String {
        let sizes =
            row.status == .uploaded
            ? "\(size(row.byteCount)) → \(size(row.sentByteCount))" : size(row.byteCount)
        let columns = [
            padded(row.status.rawValue, to: 8), padded(row.name, to: nameWidth),
            padded(row.architecture, to: 6), padded(row.image?.description ?? "–", to: 36),
            padded(words(for: row.quality), to: 13), sizes,
        ]
        let reason = isWarning(row.reason, of: row) ? nil : row.reason
        return columns.joined(separator: "  ")
            + (reason.map { "  \(Console.oneLine($0))" } ?? "") + "\n"
    }

    /// Whether the server's reason is one of the warnings about the file, which are printed at the
    /// end.
    private static func isWarning(_ reason: String?, of row: UploadRow) -> Bool {
        guard let code = reason.flatMap(DebugFileWarning.init(line:))?.code else { return false }
        return row.warnings.contains { $0.code == code }
    }

    /// Returns `12 files, 14 slices: 11 already there, 3 uploaded (48 MB → 9 MB), 0 failed`.
    static func summary(_ inputs: UploadInputs, result: UploadResult) -> String {
        let rows = result.rows
        func count(_ status: UploadRow.Status) -> Int { rows.count { $0.status == status } }
        let uploaded = rows.filter { $0.status == .uploaded }
        var parts = ["\(count(.present)) already there"]
        if count(.missing) > 0 {
            parts.append("\(count(.missing)) missing")
        } else {
            let bytes = size(uploaded.reduce(0) { $0 + $1.byteCount })
            let sent = size(uploaded.reduce(0) { $0 + $1.sentByteCount })
            let sizes = uploaded.isEmpty ? "" : " (\(bytes) → \(sent))"
            parts.append("\(uploaded.count) uploaded\(sizes)")
        }
        parts.append("\(count(.failed)) failed")
        return "\(counted(inputs.fileCount, "file")), \(counted(rows.count, "slice")): "
            + parts.joined(separator: ", ") + "\n"
    }

    private static func words(for quality: DebugFileSummary.Quality) -> String {
        switch quality {
        case .nothing: "no symbols"
        case .exportedSymbols: "exports only"
        case .symbols: "symbol table"
        case .lines: "partial DWARF"
        case .full: "full DWARF"
        }
    }

    static func size(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        case ..<1_000_000_000: "\(bytes / 1_000_000) MB"
        default: "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
        }
    }

    static func padded(_ text: String, to width: Int) -> String {
        StackRendering.padded(Console.oneLine(text), to: width)
    }
}
