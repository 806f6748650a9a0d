import CallStacks

/// The images whose frames stayed raw or without lines. Each of the app's stands in a line with the
/// reason and what would supply it; of the system's, about which nobody can do much, there is one
/// line for all that are simply missing.
struct WantedImages {
    let text: String

    init(of diagnostic: SymbolicatedDiagnostic, _ context: ReportContext, style: StackStyle) {
        let (listed, folded) = Self.listed(diagnostic)
        guard !listed.isEmpty || !folded.isEmpty else {
            text = ""
            return
        }
        let lines =
            Self.lines(listed, context)
            + (Self.line(folded, system: diagnostic.details.osVersion).map { "  \($0)\n" } ?? "")
        text = style.paint("Images without symbols:", as: .heading) + "\n" + lines
    }

    /// The images of which there is something to tell, and those that are simply missing.
    static func listed(
        _ diagnostic: SymbolicatedDiagnostic
    ) -> (listed: [ImageReport], folded: [ImageReport]) {
        let (app, system) = diagnostic.wantedImages
        return (app + system.filter { !$0.isFolded }, system.filter(\.isFolded))
    }

    private static func lines(_ images: [ImageReport], _ context: ReportContext) -> String {
        let rows = images.map { cells($0, context) }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { padded($0, to: $1) } + row.suffix(1)
            return "  " + cells.joined(separator: "  ") + "\n"
        }.joined()
    }

    /// Why, name, identity, frames, remedy.
    private static func cells(_ image: ImageReport, _ context: ReportContext) -> [String] {
        [
            image.status.word, shown(image.name ?? "???"), image.image?.description ?? "-",
            counted(image.frameCount, "frame"), remedy(for: image, context),
        ]
    }

    /// What would supply what an image wants; empty where nothing is wanted.
    static func remedy(for image: ImageReport, _ context: ReportContext) -> String {
        let other = image.image.flatMap { context.otherBuilds[$0] }
        return other.map { "the symbols given are of another build, \($0)" }
            ?? image.status.remedy
    }

    /// `7 system images, 17 frames: their symbols come with iPhone OS 18.1 (22B83)`.
    static func line(_ images: [ImageReport], system: String?) -> String? {
        guard !images.isEmpty else { return nil }
        let frameCount = images.reduce(0) { $0 + $1.frameCount }
        let origin = system.map { shown($0) } ?? "the system"
        return "\(counted(images.count, "system image")), \(counted(frameCount, "frame")): "
            + "\(images.count == 1 ? "its" : "their") symbols come with \(origin)"
    }
}

extension ImageReport {
    /// Whether nothing was supplied, so that of a system image there is nothing to tell. Of frames
    /// in no image at all nobody knows whose they are.
    fileprivate var isFolded: Bool {
        status == .missing || (status == .unidentified && name != nil)
    }
}

extension ImageReport.Status {
    var word: String {
        switch self {
        case .found: "found"
        case .noDebugInfo: "no debug information"
        case .missing: "missing"
        case .corrupt: "damaged"
        case .unidentified: "no UUID"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .found: ""
        case .noDebugInfo: "has a symbol table only: add the dSYM or debug file made beside it"
        case .missing: "add the dSYM or debug file with this UUID"
        case .corrupt: "add its symbols again"
        case .unidentified: "nothing can be looked up without a UUID"
        }
    }
}
