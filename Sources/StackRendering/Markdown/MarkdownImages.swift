import CallStacks

/// The images of a report as a table with the status of their symbols, and the commands that add
/// missing ones.
struct MarkdownImages {
    /// The maximum size of the table's rows in bytes.
    private static let rowsLimit = 12_000
    private static let commandsLimit = 6_000

    let text: String

    init(of diagnostic: SymbolicatedDiagnostic, context: ReportContext) {
        let found = diagnostic.images.filter { $0.status == .found }
        let (wanted, folded) = MissingSymbolsText.listed(diagnostic)
        let listed = found + wanted
        let parts = [
            Self.table(listed, context: context),
            MissingSymbolsText.line(folded, system: diagnostic.details.osVersion).map {
                MarkdownText.code($0) + "\n"
            } ?? "",
            Self.commands(diagnostic.imagesLackingSymbols.app, context: context),
        ]
        text = parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func table(_ images: [ImageStatus], context: ReportContext) -> String {
        guard !images.isEmpty else { return "" }
        var rows = ""
        for (number, image) in images.enumerated() {
            let row = row(of: image, context: context)
            guard rows.utf8.count + row.utf8.count <= rowsLimit else {
                rows += "\nand \(counted(images.count - number, "more image"))\n"
                break
            }
            rows += row
        }
        return "| Image | UUID | Architecture | Frames | Symbols |\n|---|---|---|---:|---|\n"
            + rows
    }

    private static func row(of image: ImageStatus, context: ReportContext) -> String {
        let remedy = MissingSymbolsText.remedy(for: image, context: context)
        let cells = [
            MarkdownText.code(image.name ?? "???"),
            image.image.map { MarkdownText.code($0.description) } ?? "",
            image.architecture.map(MarkdownText.code) ?? "", "\(image.frameCount)",
            image.status.word + (remedy.isEmpty ? "" : ": " + remedy),
        ]
        return "| \(cells.joined(separator: " | ")) |\n"
    }

    private static func commands(_ images: [ImageStatus], context: ReportContext) -> String {
        let commands = SymbolSearchCommands(
            for: images, input: context.input ?? "REPORT", style: .plain
        ).commands
        guard !commands.isEmpty else { return "" }
        return
            "To add the missing symbols:\n\n" + MarkdownText.block(commands, limit: commandsLimit)
    }
}
