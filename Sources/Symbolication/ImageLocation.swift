/// Whose an image is by the folder that its file is in.
enum ImageLocation: Hashable, Sendable {
    case system
    case app

    /// `nil` where the path has no folder.
    ///
    /// - Parameter executablePackages: The ``package(of:)`` of executables in the same report.
    init?(of path: String, executablePackages: Set<Substring>) {
        guard path.hasPrefix("/"), path.utf8.dropFirst().contains(UInt8(ascii: "/")) else {
            return nil
        }
        let path = Self.withoutVolume(path[...])
        if Self.isApples(path) || Self.isAndroids(path) {
            self = .system
        } else if Self.isSharedLibrary(path), let package = Self.package(of: path) {
            let isOfApp = package.isPrivate || executablePackages.contains(package.folder)
            self = isOfApp ? .app : .system
        } else {
            self = .app
        }
    }

    /// The folder that a package of Linux has to itself, if the file is an executable in one:
    /// `/usr/lib/shop`, `/nix/store/1f2e-shop-1.4`.
    static func package(ofExecutable path: String) -> Substring? {
        isSharedLibrary(path[...]) ? nil : package(of: path[...])?.folder
    }
}

extension ImageLocation {
    /// The volume on which macOS keeps what is not the system's.
    private static func withoutVolume(_ path: Substring) -> Substring {
        let volume = "/System/Volumes/Data/"
        return path.hasPrefix(volume) ? path.dropFirst(volume.count - 1) : path
    }

    /// Folders of Apple's systems.
    private static let appleFolders = [
        "/System/", "/usr/lib/swift/", "/usr/lib/system/", "/Library/Apple/", "/Library/Developer/",
        "/Developer/", "/private/preboot/Cryptexes/", "/AppleInternal/", "/usr/libexec/rosetta/",
    ]
    /// Parts of paths in Xcode, its simulators, and the symbols of devices that it keeps.
    private static let xcodeParts = [
        ".simruntime/", "/RuntimeRoot/", ".xctoolchain/", ".app/Contents/Developer/",
        "DeviceSupport/", "/usr/lib/swift/",
    ]

    private static func isApples(_ path: Substring) -> Bool {
        if appleFolders.contains(where: { path.hasPrefix($0) }) { return true }
        if path.hasPrefix("/usr/lib/"), path.hasSuffix(".dylib") || path.hasSuffix("/dyld") {
            return true
        }
        return xcodeParts.contains { path.contains($0) }
    }

    private static let androidFolders = ["/system/", "/system_ext/", "/apex/"]
    /// Partitions whose names other systems use too, and what Android has in them.
    private static let androidPartitions = ["/vendor/", "/odm/", "/product/"]
    private static let androidParts = [
        "lib/", "lib64/", "bin/", "app/", "priv-app/", "framework/", "overlay/",
    ]

    private static func isAndroids(_ path: Substring) -> Bool {
        if androidFolders.contains(where: { path.hasPrefix($0) }) { return true }
        guard let partition = androidPartitions.first(where: { path.hasPrefix($0) }) else {
            return false
        }
        let rest = path.dropFirst(partition.count)
        return androidParts.contains { rest.hasPrefix($0) }
    }
}

extension ImageLocation {
    /// Folders in which Linux has the libraries of its packages.
    private static let libraryFolders = [
        "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libx32/", "/usr/libexec/", "/lib/",
        "/lib64/", "/lib32/", "/libx32/",
    ]
    /// Stores that have a folder for each package.
    private static let stores = ["/nix/store/", "/gnu/store/"]
    /// Folders below those of libraries that do not belong to one program.
    private static let sharedFolders: Set<Substring> = [
        "swift", "gcc", "jvm", "debug", "locale", "ssl", "dri", "gconv", "systemd", "security",
        "pam", "nss", "modules", "firmware", "sasl2", "gio", "vdpau", "ossl-modules",
    ]
    /// Likewise with a version behind the name.
    private static let sharedPrefixes = ["python", "perl", "ruby", "llvm", "engines-"]
    /// Folders of packages for a language, which may well be the app's own.
    private static let languageFolders = ["/site-packages/", "/dist-packages/"]

    private struct Package {
        var folder: Substring
        /// Whether its libraries are for its own programs alone.
        var isPrivate: Bool
    }

    /// The package of a file in the folders of libraries and in stores; `nil` for one elsewhere.
    private static func package(of path: Substring) -> Package? {
        if let store = stores.first(where: { path.hasPrefix($0) }) {
            let name = path.dropFirst(store.count).prefix { $0 != "/" }
            return Package(folder: path[..<name.endIndex], isPrivate: false)
        }
        guard let folder = libraryFolders.first(where: { path.hasPrefix($0) }),
            !languageFolders.contains(where: { path.contains($0) })
        else { return nil }
        var name = path.dropFirst(folder.count).prefix { $0 != "/" }
        let isForOneArchitecture = name.contains("-linux-")
        if isForOneArchitecture, name.endIndex < path.endIndex {
            name = path[path.index(after: name.endIndex)...].prefix { $0 != "/" }
        }
        let isFolder = name.endIndex < path.endIndex
        let isShared =
            sharedFolders.contains(name) || sharedPrefixes.contains { name.hasPrefix($0) }
        return Package(
            folder: path[..<name.endIndex],
            isPrivate: isFolder && !isForOneArchitecture && !isShared)
    }

    /// Whether it is called like a shared library of Linux, `libc.so.6`, or a kernel module. Whatever
    /// else code runs from is an executable.
    private static func isSharedLibrary(_ path: Substring) -> Bool {
        let name = String(path).lastComponent
        return name.hasSuffix(".so") || name.contains(".so.") || name.hasSuffix(".ko")
            || name.contains(".ko.")
    }
}
