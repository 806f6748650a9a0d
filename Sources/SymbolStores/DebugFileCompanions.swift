import DebugFiles

/// Where the debug information of a file without any is usually put: beside it.
///
/// What is found there is only tried. Whether it belongs to the file, its identity tells.
struct DebugFileCompanions {
    /// The places that exist, the likeliest first.
    let paths: [String]

    /// How many folders above a file may be a bundle that a dSYM was made of.
    private static let bundleDepth = 4

    init(of path: String, _ file: DebugFile) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let places = file.kind.isELF ? Self.linked(path, folder, file) : Self.bundles(above: path)
        paths = places.filter { (try? FileStatus(of: $0)) != nil }
    }

    /// As `objcopy --add-gnu-debuglink` names it and debuggers look for it, or by the usual endings.
    private static func linked(_ path: String, _ folder: String, _ file: DebugFile) -> [String] {
        var places = ["\(path).debug", "\(path).dbg"]
        // `seeds.stripped` beside `seeds.debug`.
        let name = path.dropFirst(folder == "." ? 0 : folder.count + 1)
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            places += ["\(path[..<dot]).debug", "\(path[..<dot]).dbg"]
        }
        if let name = file.debugFileLink?.fileName, !name.isEmpty, !name.contains("/") {
            places = ["\(folder)/\(name)", "\(folder)/.debug/\(name)"] + places
        }
        return places
    }

    /// `Orchard.dSYM` beside the file, or `Orchard.app.dSYM` beside the app that it is in.
    private static func bundles(above path: String) -> [String] {
        var places = ["\(path).dSYM"]
        var folder = path[...]
        for _ in 0..<bundleDepth {
            guard let slash = folder.lastIndex(of: "/") else { break }
            folder = folder[..<slash]
            if folder.split(separator: "/").last?.contains(".") == true {
                places.append("\(folder).dSYM")
            }
        }
        return places
    }
}
