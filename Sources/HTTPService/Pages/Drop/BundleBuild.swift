import CallStacks
import Foundation

/// The build that an Xcode archive, or the dSYM of an app, names in its `Info.plist`.
struct BundleBuild {
    let build: Build

    /// - Parameters:
    ///   - path: The path of the file in the dropped folder.
    ///   - data: The content of the file.
    init?(path: String, data: Data) {
        let parts = path.split(separator: "/")
        guard parts.last == "Info.plist",
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let values = list as? [String: Any]
        else { return nil }
        if let properties = values["ApplicationProperties"] as? [String: Any] {
            self.init(properties)
        } else if parts.contains(where: { $0.hasSuffix(".app.dSYM") }) {
            self.init(values)
        } else {
            return nil
        }
    }

    private init?(_ values: [String: Any]) {
        guard let name = values["CFBundleIdentifier"] as? String,
            let version = values["CFBundleShortVersionString"] as? String,
            let build = values["CFBundleVersion"] as? String
        else { return nil }
        let prefix = "com.apple.xcode.dsym."
        let app = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        self.build = Build(app: app, version: version, build: build)
    }

    /// Returns the build that dropped files name: that of an archive before that of a dSYM.
    static func find(in files: [IncomingFile]) -> Build? {
        let lists = files.filter { $0.name.split(separator: "/").last == "Info.plist" }
        for file in lists.sorted(by: { $0.name.utf8.count < $1.name.utf8.count }) {
            guard let data = FileManager.default.contents(atPath: file.path) else { continue }
            if let found = Self(path: file.name, data: data) { return found.build }
        }
        return nil
    }
}
