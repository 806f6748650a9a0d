import DebugFiles

/// The `.dwo` files, object files with split units, and packages found so far.
///
/// A debug file names its `.dwo` files by their paths during the build, which often no longer exist,
/// so they are first searched by file name, and their id decides whether they match. Packages are not
/// named at all, so each is tried.
struct SplitFileInventory: Sendable {
    /// A file of split units.
    struct File: Hashable, Sendable {
        let path: String
        /// The path to display. For an archive member, the archive's path followed by the member's.
        let name: String

        var fileName: String { name.split(separator: "/").last.map(String.init) ?? name }
    }

    private var packages: [File] = []
    /// The `.dwo` files by file name.
    private var objects: [String: [File]] = [:]
    private var known: Set<File> = []

    private static let objectEnding = ".dwo"
    private static let packageEnding = ".dwp"

    var isEmpty: Bool { known.isEmpty }

    mutating func add(_ file: File, _ kind: SplitUnitsKind) {
        guard known.insert(file).inserted else { return }
        switch kind {
        case .package: packages.append(file)
        case .object: objects[file.fileName, default: []].append(file)
        }
    }

    /// Adds a file of split units, or the split units next to a file listed explicitly.
    mutating func add(_ entry: DebugFileListing.Entry) {
        for file in entry.files {
            if let kind = file.splitUnitsOfOtherFiles {
                add(File(path: entry.path, name: entry.name), kind)
            } else if entry.isExplicit, file.kind.isELF {
                add(besideFileAt: entry.path)
            }
        }
    }

    /// Adds the split units next to a file listed explicitly: `.dwo` files, and the package with
    /// its name.
    mutating func add(besideFileAt path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let names = Self.packageNames(for: path)
        for name in (try? folderEntries(of: folder)) ?? [] {
            let file = File(path: "\(folder)/\(name)", name: "\(folder)/\(name)")
            if name.hasSuffix(Self.objectEnding) {
                add(file, .object)
            } else if names.contains(name) {
                add(file, .package)
            }
        }
    }

    /// Returns `shop.debug.dwp` and `shop.dwp` for `…/shop.debug`.
    private static func packageNames(for path: String) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return ["\(name)\(packageEnding)", "\(stem)\(packageEnding)"]
    }

    /// Returns the packages, those named like the file first.
    func packages(for path: String) -> [File] {
        let names = Self.packageNames(for: path)
        let isNamesake = packages.map { names.contains($0.fileName) }
        return zip(packages, isNamesake).filter(\.1).map(\.0)
            + zip(packages, isNamesake).filter { !$0.1 }.map(\.0)
    }

    func objects(named fileName: String) -> [File] { objects[fileName] ?? [] }
}
