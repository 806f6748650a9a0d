import Foundation
import TestSupport
import Testing
import Yams

/// The files in `Deploy`.
enum DeployFiles {
    static let folder = projectFolder.appendingPathComponent("Deploy")

    /// All paths below the folder.
    static var paths: [String] {
        (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { path in
            (try? folder.appendingPathComponent(path).resourceValues(forKeys: [.isRegularFileKey]))?
                .isRegularFile == true
        }.sorted()
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    /// Returns the documents of a YAML text.
    static func documents(_ yaml: String) throws -> [[String: Any]] {
        try Yams.load_all(yaml: yaml).map { try #require($0 as? [String: Any]) }
    }

    static func document(_ path: String) throws -> [String: Any] {
        let documents = try documents(try text(path))
        #expect(documents.count == 1, "\(path)")
        return try #require(documents.first, "\(path)")
    }

    /// Returns the value at a path of keys and positions: `spec/containers/0/name`.
    static func value(_ path: String, in value: Any?) -> Any? {
        path.split(separator: "/").reduce(value) { value, key in
            if let list = value as? [Any] {
                Int(key).flatMap { $0 < list.count ? list[$0] : nil }
            } else {
                (value as? [String: Any])?[String(key)]
            }
        }
    }
}
