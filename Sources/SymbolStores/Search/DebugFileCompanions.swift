import DebugFiles

/// The usual locations of separate debug information for a file that has none: next to it, and in the
/// folders for debug files.
///
/// Files at these locations are candidates. Their identity decides whether they match.
struct DebugFileCompanions {
    /// The paths that exist, the most likely first.
    let paths: [String]

    /// The maximum number of enclosing folders that are tried as the bundle of a dSYM.
    private static let bundleDepth = 4

    /// - Parameter debugFolders: The folders where packages install debug files.
    init(of path: String, file: DebugFile, debugFolders: [String]) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let candidates =
            file.kind.isELF
            ? Self.linked(path, folder: folder, file: file, debugFolders: debugFolders)
            : Self.bundles(above: path)
        paths = candidates.filter { (try? FileStatus(of: $0)) != nil }
    }

    /// Returns the paths by debug link and by build ID, as debuggers search for them, and by the
    /// usual suffixes.
    private static func linked(
        _ path: String, folder: String, file: DebugFile, debugFolders: [String]
    ) -> [String] {
        var candidates = ["\(path).debug", "\(path).dbg"]
        // `seeds.stripped` next to `seeds.debug`.
        let name = path.dropFirst(folder == "." ? 0 : folder.count + 1)
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            candidates += ["\(path[..<dot]).debug", "\(path[..<dot]).dbg"]
        }
        if let name = file.debugFileLink?.fileName, !name.isEmpty, !name.contains("/") {
            candidates = ["\(folder)/\(name)", "\(folder)/.debug/\(name)"] + candidates
        }
        guard let image = file.id else { return candidates }
        candidates.append(image.buildIDPath(in: folder))
        for debugFolder in debugFolders {
            candidates += installedDebugFiles(
                of: image, at: path, link: file.debugFileLink?.fileName, in: debugFolder)
        }
        return candidates
    }

    /// Returns `Orchard.dSYM` next to the file, or `Orchard.app.dSYM` next to its app.
    private static func bundles(above path: String) -> [String] {
        var candidates = ["\(path).dSYM"]
        var folder = path[...]
        for _ in 0..<bundleDepth {
            guard let slash = folder.lastIndex(of: "/") else { break }
            folder = folder[..<slash]
            if folder.split(separator: "/").last?.contains(".") == true {
                candidates.append("\(folder).dSYM")
            }
        }
        return candidates
    }
}
