import SymbolStores

/// Debug files among the inputs of a command that reads reports: on the command line, or next to
/// the reports in a folder or archive.
struct InputSymbols {
    /// The inputs with debug files.
    let paths: [String]
    /// The inputs that may contain reports.
    let reports: [String]

    init(among inputs: [String], unpackingIn archives: ArchiveFolder?) {
        let found = inputs.filter {
            $0 != "-" && DebugFileInspection.findsAny(in: $0, unpackingIn: archives)
        }
        let others = inputs.filter { !found.contains($0) || Self.mayContainReports($0) }
        paths = found
        // If there are only symbols, they are processed as reports, so that the run explains that
        // they are not reports.
        reports = others.isEmpty ? inputs : others
    }

    private static func mayContainReports(_ path: String) -> Bool {
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        return !name.hasSuffix(".dSYM") && InputFiles.isContainer(path)
    }
}
