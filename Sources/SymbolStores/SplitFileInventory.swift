import DebugFiles

/// The `.dwo` files and packages that were found.
///
/// A debug file names its `.dwo` files by the folders of the build, which are elsewhere by now. So the
/// last part of the name is what they are looked for by, and whether one belongs to the file, its id
/// tells. Packages are not named at all; each is asked.
struct SplitFileInventory: Sendable {
    /// A file that holds units which were split off.
    struct Place: Hashable, Sendable {
        let path: String
        /// What people call the file: its path, also inside an archive.
        let name: String

        var fileName: String { name.split(separator: "/").last.map(String.init) ?? name }
    }

    private var packages: [Place] = []
    /// By the last part of their names.
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

    /// Adds what holds nothing but units which were split off, and what lies beside a file that was
    /// named by itself.
    mutating func add(_ entry: DebugFileListing.Entry) {
        for file in entry.files {
            if let kind = file.splitUnits, !file.hasDebugInformation {
                add(Place(path: entry.path, name: entry.name), kind)
            } else if entry.isNamedByCaller, file.kind.isELF {
                add(besideFileAt: entry.path)
            }
        }
    }

    /// Adds what lies beside a file that was named by itself: `.dwo` files, and the package that is
    /// called like it.
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

    /// `shop.debug.dwp` and `shop.dwp` of `…/shop.debug`.
    private static func packageNames(for path: String) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return ["\(name)\(packageEnding)", "\(stem)\(packageEnding)"]
    }

    /// The packages, first those that are called like a file.
    func packages(for path: String) -> [Place] {
        let names = Self.packageNames(for: path)
        let isNamesake = packages.map { names.contains($0.fileName) }
        return zip(packages, isNamesake).filter(\.1).map(\.0)
            + zip(packages, isNamesake).filter { !$0.1 }.map(\.0)
    }

    func objects(named fileName: String) -> [Place] { objects[fileName] ?? [] }
}
