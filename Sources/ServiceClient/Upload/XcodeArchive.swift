import Foundation

/// The build information in the `Info.plist` of an `.xcarchive`.
public struct XcodeArchive: Hashable, Sendable {
    public var app: String?
    public var version: String?
    public var build: String?

    /// Reads the first archive that is, or contains, one of the paths.
    ///
    /// In CI, the path is often that of the archive's `dSYMs` folder.
    public init(around paths: [String]) {
        for path in paths {
            if let folder = Self.archive(around: path),
                let properties = Self.properties(of: folder)
            {
                app = properties["CFBundleIdentifier"] as? String
                version = properties["CFBundleShortVersionString"] as? String
                build = properties["CFBundleVersion"] as? String
                return
            }
        }
    }

    private static func archive(around path: String) -> URL? {
        var folder = URL(fileURLWithPath: path).standardizedFileURL
        while folder.pathComponents.count > 1 {
            if folder.pathExtension == "xcarchive" { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    private static func properties(of archive: URL) -> [String: Any]? {
        let file = archive.appendingPathComponent("Info.plist")
        guard let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize,
            size <= sizeLimit, let data = try? Data(contentsOf: file),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return nil }
        return (list as? [String: Any])?["ApplicationProperties"] as? [String: Any]
    }

    /// The size limit in bytes. Typical files have two thousand.
    private static let sizeLimit = 1 << 20
}
