import DebugFiles

/// The `.dwo` files and packages found so far.
///
/// A debug file names its `.dwo` files by their paths during the build, which usually no longer
/// exist, so they are searched by file name, and their id decides whether they match. Packages are
/// not named at all, so each is tried.
struct SplitFileInventory: Sendable {
    /// A file of split units.
    struct Place: Hashable, Sendable {
        let path: String
        /// The path to display. For an archive member, the archive's path followed by the member's.
        let name: String

        var fileName: String { name.split(separator: "/").last.map(String.init) ?? name }
    }

    private var packages: [Place] = []
    /// The `.dwo` files by file name.
    private var objects: [String: [Place]] = [:]
    private var known: Set<Place> = []

    private static let objectEnding = ".dwo"
    private static let packageEnding = ".dwp"

    var isEmpty: Bool { known.isEmpty }

    mutating func add(_ place: Place, _ kind: SplitUnitsKind) {
        guard known.insert(place).inserted else { return }
        switch kind {
        case .package: packages.append(place)
        case .object: objects[place.fileName, default: []].append(place)
        }
    }

    /// Adds a file of split units, or the split units next to a file listed explicitly.
    mutating func add(_ entry: DebugFileListing.Entry) {
        for file in entry.files {
            if let kind = file.splitUnits, !file.hasDebugInformation {
                add(Place(path: entry.path, name: entry.name), kind)
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
            let place = Place(path: "\(folder)/\(name)", name: "\(folder)/\(name)")
            if name.hasSuffix(Self.objectEnding) {
                add(place, .object)
            } else if names.contains(name) {
                add(place, .package)
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
    func packages(for path: String) -> [Place] {
        let names = Self.packageNames(for: path)
        let isNamesake = packages.map { names.contains($0.fileName) }
        return zip(packages, isNamesake).filter(\.1).map(\.0)
            + zip(packages, isNamesake).filter { !$0.1 }.map(\.0)
    }

    func objects(named fileName: String) -> [Place] { objects[fileName] ?? [] }
}
