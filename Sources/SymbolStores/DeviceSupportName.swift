import CallStacks

/// The system in the name of a folder created by Xcode: `iPhone15,2 18.1 (22B83) arm64e`.
///
/// The model and the architecture may be missing. The name is only a label: images are matched by
/// their identities.
struct DeviceSupportName: Hashable {
    let version: String
    let build: String

    /// Uses the innermost folder of the path with such a name. Returns `nil` if there is none.
    init?(path: String) {
        for folder in path.split(separator: "/").reversed() {
            if let name = Self(folder: folder) {
                self = name
                return
            }
        }
        return nil
    }

    private init?(folder: Substring) {
        guard let open = folder.lastIndex(of: "("),
            let close = folder[open...].firstIndex(of: ")")
        else { return nil }
        let build = folder[folder.index(after: open)..<close]
        guard let version = folder[..<open].split(separator: " ").last,
            version.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }),
            SystemBuild.isBuild(build), build.contains(where: { ("0"..."9").contains($0) })
        else { return nil }
        self.version = String(version)
        self.build = String(build)
    }

    /// Returns the system, for instance `iPhone OS 18.1` with the build `22B83`.
    ///
    /// - Parameter platform: The name of the platform in lower case, as in debug files.
    func system(platform: String?, architecture: String) -> SystemBuild {
        let name = platform.map { Self.systemNames[$0] ?? $0 }
        return SystemBuild(
            name: [name, version].compactMap(\.self).joined(separator: " "), build: build,
            architecture: architecture)
    }

    /// The names in reports.
    private static let systemNames = [
        "ios": "iPhone OS", "macos": "macOS", "tvos": "tvOS", "watchos": "watchOS",
        "visionos": "visionOS",
    ]
}
