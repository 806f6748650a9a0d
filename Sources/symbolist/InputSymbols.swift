import SymbolStores

/// Debug files among the inputs of a command that reads reports: by themselves, or beside the reports in
/// a folder or an archive.
struct InputSymbols {
    /// The inputs that hold debug files.
    let paths: [String]
    /// The inputs that may hold reports.
    let reports: [String]

    init(among inputs: [String], unpackingIn archives: ArchiveFolder?) {
        let found = inputs.filter { Self.holdsSymbols($0, archives) }
        let others = inputs.filter { !found.contains($0) || Self.mayHoldReports($0) }
        paths = found
        // A run of nothing but symbols says so.
        reports = others.isEmpty ? inputs : others
    }

    private static func holdsSymbols(_ path: String, _ archives: ArchiveFolder?) -> Bool {
        guard path != "-", let kind = try? FileStatus(of: path).kind, kind != .other else {
            return false
        }
        return DebugFileInspection.takes(path)
            && !DebugFileInspection.holdsNone(path, unpackingIn: archives)
    }

    private static func mayHoldReports(_ path: String) -> Bool {
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        return !name.hasSuffix(".dSYM") && InputFiles.isContainer(path)
    }
}
