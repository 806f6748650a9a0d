import CallStacks

/// The images whose frames stayed raw or without lines, each with the reason and what would supply
/// it. The app's come first: nobody can do much about the system's.
struct WantedImages {
    let text: String

    init(of diagnostic: SymbolicatedDiagnostic, style: StackStyle) {
        let own = Set(diagnostic.frames.lazy.filter(\.isInApp).map(Key.init(row:)))
        let wanted = diagnostic.images.filter { $0.status != .found }
        let app = wanted.filter { own.contains(Key(report: $0)) }
        let system = wanted.filter { !own.contains(Key(report: $0)) }
        let rows =
            app.map { Self.cells($0, isInApp: true) }
            + system.map { Self.cells($0, isInApp: false) }
        guard !rows.isEmpty else {
            text = ""
            return
        }
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { padded($0, to: $1) } + row.suffix(1)
            return "  " + cells.joined(separator: "  ") + "\n"
        }
        text = style.paint("Images without symbols:", as: .heading) + "\n" + lines.joined()
    }

    private struct Key: Hashable {
        var image: ImageID?
        var name: String?

        init(row: SymbolicatedFrame) {
            image = row.image
            name = row.image == nil ? row.imageName : nil
        }

        init(report: ImageReport) {
            image = report.image
            name = report.image == nil ? report.name : nil
        }
    }

    /// Why, name, identity, frames, remedy.
    private static func cells(_ image: ImageReport, isInApp: Bool) -> [String] {
        [
            image.status.word, shown(image.name ?? "???"), image.image?.description ?? "-",
            counted(image.frameCount, "frame"), image.status.remedy(isInApp: isInApp),
        ]
    }
}

extension ImageReport.Status {
    fileprivate var word: String {
        switch self {
        case .found: "found"
        case .noDebugInfo: "no debug information"
        case .missing: "missing"
        case .corrupt: "damaged"
        case .unidentified: "no UUID"
        }
    }

    fileprivate func remedy(isInApp: Bool) -> String {
        switch self {
        case .found: ""
        case .noDebugInfo: "has a symbol table only: add the dSYM or debug file made beside it"
        case .missing where isInApp: "add the dSYM or debug file with this UUID"
        case .missing: "comes with the system: add the symbols of that system version"
        case .corrupt: "add its symbols again"
        case .unidentified: "nothing can be looked up without a UUID"
        }
    }
}
