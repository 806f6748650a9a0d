/// The owner of an image, judged by the folder of its file.
enum ImageLocation: Hashable, Sendable {
    case system
    case app

    /// Returns `nil` if the path has no folder.
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

    /// Returns the private folder of a Linux package, if the file is an executable in one:
    /// `/usr/lib/shop`, `/nix/store/1f2e-shop-1.4`.
    static func package(ofExecutable path: String) -> Substring? {
        isSharedLibrary(path[...]) ? nil : package(of: path[...])?.folder
    }
}

extension ImageLocation {
    /// Removes the prefix of the volume on which macOS keeps files that are not part of the system.
    private static func withoutVolume(_ path: Substring) -> Substring {
        let volume = "/System/Volumes/Data/"
        return path.hasPrefix(volume) ? path.dropFirst(volume.count - 1) : path
    }

    private static let appleFolders = [
        "/System/", "/usr/lib/swift/", "/usr/lib/system/", "/Library/Apple/", "/Library/Developer/",
        "/Developer/", "/private/preboot/Cryptexes/", "/AppleInternal/", "/usr/libexec/rosetta/",
    ]
    /// Path components of Xcode, its simulators, and its device symbols.
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
    /// Partitions whose names other systems use too, and Android's folders in them.
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
    /// Folders in which Linux distributions install libraries.
    private static let libraryFolders = [
        "/usr/lib/", "/usr/lib64/", "/usr/lib32/", "/usr/libx32/", "/usr/libexec/", "/lib/",
        "/lib64/", "/lib32/", "/libx32/",
    ]
    /// Stores with a folder for each package.
    private static let stores = ["/nix/store/", "/gnu/store/"]
    /// Subfolders of library folders that are shared by several programs.
    private static let sharedFolders: Set<Substring> = [
        "swift", "gcc", "jvm", "debug", "locale", "ssl", "dri", "gconv", "systemd", "security",
        "pam", "nss", "modules", "firmware", "sasl2", "gio", "vdpau", "ossl-modules",
    ]
    /// Prefixes of such subfolders, whose names end in a version.
    private static let sharedPrefixes = ["python", "perl", "ruby", "llvm", "engines-"]
    /// Package folders of a language, whose packages may be the app's own.
    private static let languageFolders = ["/site-packages/", "/dist-packages/"]

    private struct Package {
        var folder: Substring
        /// Whether its libraries are for its own programs only.
        var isPrivate: Bool
    }

    /// Returns the package of a file in a library folder or a store, or `nil` if it is elsewhere.
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

    /// Whether the file name is that of a Linux shared library, `libc.so.6`, or of a kernel module.
    /// All other images are executables.
    private static func isSharedLibrary(_ path: Substring) -> Bool {
        let name = String(path).lastComponent
        return name.hasSuffix(".so") || name.contains(".so.") || name.hasSuffix(".ko")
            || name.contains(".ko.")
    }
}
