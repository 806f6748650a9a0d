public import CallStacks
import Foundation

/// The property lists of Xcode archives and of apps' dSYMs among some files, which name the build.
///
/// The lists of frameworks are ignored, because they contain the version of the framework.
public struct BundlePropertyLists: Sendable {
    private struct List: Sendable {
        let path: String
        let owner: Owner
        /// The number of folders around it.
        let depth: Int
    }

    private enum Owner: Int, Sendable {
        case archive, appSymbols
    }

    private var lists: [List] = []

    /// The maximum number of lists that are read.
    private static let readLimit = 8
    /// The size limit of a list, in bytes. Typical lists have two thousand.
    private static let bytesLimit = 1 << 20
    /// The size limit of an identifier, a version or a build number, in bytes.
    private static let textLimit = 255
    private static let fileName = "Info.plist"
    private static let identifierPrefix = "com.apple.xcode.dsym."
    private static let bundleEndings = [
        ".app", ".appex", ".bundle", ".dSYM", ".framework", ".plugin", ".xcframework", ".xpc",
    ]

    public init() {}

    /// Whether a file may name a build, by its path.
    static func isPart(_ name: String) -> Bool { owner(of: name) != nil }

    /// Adds a file if it may name a build.
    ///
    /// - Parameters:
    ///   - path: The path on disk.
    ///   - name: The path in the archive or folder that was sent.
    public mutating func add(_ path: String, named name: String) {
        guard let owner = Self.owner(of: name) else { return }
        let depth = name.utf8.count { $0 == UInt8(ascii: "/") }
        lists.append(List(path: path, owner: owner, depth: depth))
    }

    /// The paths of the files to read: lists of archives first, and outer ones before inner ones.
    public var paths: [String] {
        lists.sorted { ($0.owner.rawValue, $0.depth) < ($1.owner.rawValue, $1.depth) }
            .prefix(Self.readLimit).map(\.path)
    }

    /// Returns the build that the first of some files names.
    ///
    /// Nested values may exhaust the stack, so call this for a client's files only in a worker
    /// process.
    public static func build(in paths: [String]) -> Build? {
        paths.lazy.compactMap { build(inFileAt: $0) }.first
    }

    /// Whether a text is short and printable, as identifiers, versions and build numbers are.
    public static func isName(_ text: String) -> Bool {
        (1...textLimit).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    private static func owner(of name: String) -> Owner? {
        guard name.utf8.count >= fileName.utf8.count,
            name.utf8.suffix(fileName.utf8.count).elementsEqual(fileName.utf8)
        else { return nil }
        let parts = name.split(separator: "/")
        guard parts.last.map({ $0 == fileName }) ?? false else { return nil }
        let folders = parts.dropLast()
        if folders.suffix(2).first?.hasSuffix(".app.dSYM") ?? false, folders.last == "Contents" {
            return .appSymbols
        }
        let isInBundle = folders.contains { folder in
            bundleEndings.contains { folder.hasSuffix($0) }
        }
        return isInBundle ? nil : .archive
    }

    private static func build(inFileAt path: String) -> Build? {
        guard let status = try? FileStatus(of: path), status.kind == .file,
            status.size <= bytesLimit, let data = FileManager.default.contents(atPath: path),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil),
            let values = list as? [String: Any]
        else { return nil }
        if let properties = values["ApplicationProperties"] as? [String: Any] {
            return build(of: properties)
        }
        guard var build = build(of: values), build.app.hasPrefix(identifierPrefix) else {
            return nil
        }
        // The defaults that dsymutil writes if it does not know the app's version.
        if build.version == "1.0", build.build == "1" { return nil }
        build.app.removeFirst(identifierPrefix.count)
        return isName(build.app) ? build : nil
    }

    private static func build(of values: [String: Any]) -> Build? {
        guard let app = values["CFBundleIdentifier"] as? String,
            let version = values["CFBundleShortVersionString"] as? String,
            let build = values["CFBundleVersion"] as? String,
            [app, version, build].allSatisfy(isName)
        else { return nil }
        return Build(app: app, version: version, build: build)
    }
}
