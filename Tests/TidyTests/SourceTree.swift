import Foundation
import TestSupport

/// A Swift file of the project, by its path from the package's folder.
struct SourceText: Sendable {
    let path: String
    let lines: [Substring]

    /// The target it belongs to: the folder below `Sources` or `Tests`.
    var target: String { String(path.split(separator: "/")[1]) }

    /// Whether a program wrote it, so that nobody reads it from top to bottom.
    var isGenerated: Bool { path.contains("/Generated/") }
}

/// The Swift files below `folder`, in order of their paths.
func swiftFiles(in folder: String) throws -> [SourceText] {
    let root = projectFolder.appendingPathComponent(folder)
    let paths = FileManager.default.subpaths(atPath: root.path) ?? []
    return try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build") }.sorted().map {
        let text = try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8)
        return SourceText(
            path: "\(folder)/\($0)",
            lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
}
