import CallStacks

/// The images of a report as a table with what became of their symbols, and the commands that supply
/// what is missing.
struct MarkdownImages {
    /// How much the rows of the table take, in bytes.
    private static let rowsLimit = 12_000
    /// How much the commands take, in bytes.
    private static let commandsLimit = 6_000

    let text: String

    init(of diagnostic: SymbolicatedDiagnostic, _ context: ReportContext) {
        let found = diagnostic.images.filter { $0.status == .found }
        let (wanted, folded) = WantedImages.listed(diagnostic)
        let listed = found + wanted
        let parts = [
            Self.table(listed, context),
            WantedImages.line(folded, system: diagnostic.details.osVersion).map {
                MarkdownText.code($0) + "\n"
            } ?? "",
            Self.commands(diagnostic.wantedImages.app, context),
        ]
        text = parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func table(_ images: [ImageReport], _ context: ReportContext) -> String {
        guard !images.isEmpty else { return "" }
        var rows = ""
        for (number, image) in images.enumerated() {
            let row = row(of: image, context)
            guard rows.utf8.count + row.utf8.count <= rowsLimit else {
                rows += "\nand \(counted(images.count - number, "more image"))\n"
                break
            }
            rows += row
        }
        return "| Image | UUID | Architecture | Frames | Symbols |\n|---|---|---|---:|---|\n"
            + rows
    }

    private static func row(of image: ImageReport, _ context: ReportContext) -> String {
        let remedy = WantedImages.remedy(for: image, context)
        let cells = [
            MarkdownText.code(image.name ?? "???"),
            image.image.map { MarkdownText.code($0.description) } ?? "",
            image.architecture.map(MarkdownText.code) ?? "", "\(image.frameCount)",
            image.status.word + (remedy.isEmpty ? "" : ": " + remedy),
        ]
        return "| \(cells.joined(separator: " | ")) |\n"
    }

    private static func commands(_ images: [ImageReport], _ context: ReportContext) -> String {
        let commands = SupplyCommands(
            for: images, input: context.input ?? "REPORT", style: .plain
        ).commands
        guard !commands.isEmpty else { return "" }
        return "To add what is missing:\n\n" + MarkdownText.block(commands, limit: commandsLimit)
    }
}
