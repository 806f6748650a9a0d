import Foundation
import TestSupport
import Testing

/// The contents of a fixture's `.expected.json`: the frames at the markers in the sources.
struct ExpectedFrames: Decodable {
    struct Frame: Decodable {
        /// The diagnostic, such as `crashDiagnostics[0]`, if the payload contains several.
        var diagnostic: String?
        var thread: Int
        /// The position in the thread, as received.
        var index: Int
        var image: String
        var uuid: String
        var offset: UInt64
        var lookup: UInt64
        var samples: UInt64?
        /// Whether the frame repeats the one before it.
        var duplicate: Bool?
        /// Innermost first.
        var chain: [Function]
    }

    struct Function: Decodable {
        var function: String
        var file: String?
        var path: String?
        var line: UInt32
        var inlined: Bool
        /// Whether the compiler or the standard library provides the code, so that only its name is
        /// expected.
        var unmarked: Bool?
        /// Why the optimiser removed the line, or `nil` if it did not.
        var lost: String?
        /// Whether the function is only in the symbol table.
        var symbolOnly: Bool?
        /// Other functions that share the code. Each is a correct result too.
        var alternatives: [Function]?

        enum CodingKeys: String, CodingKey {
            case function, file, path, line, inlined, unmarked, lost, alternatives
            case symbolOnly = "symbol_only"
        }
    }

    var frames: [Frame]
}

/// The expected frames of a diagnostic of the fixtures, or of a crash with offsets only.
struct Fixture: Sendable, CustomTestStringConvertible {
    /// `build/scenario.form`, below `Fixtures/Diagnostics`.
    let name: String

    var testDescription: String { name }

    private static let folder = projectFolder.appendingPathComponent("Fixtures/Diagnostics")

    /// All fixtures, in order.
    static let all: [Fixture] = {
        let paths = FileManager.default.subpaths(atPath: folder.path) ?? []
        let suffix = ".expected.json"
        return paths.filter { $0.hasSuffix(suffix) }.sorted().map {
            Fixture(name: String($0.dropLast(suffix.count)))
        }
    }()

    /// The diagnostic as sent by a device or SDK, if there is one.
    var input: URL? {
        let file = Self.folder.appendingPathComponent(name + ".json")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    /// The crash file, for a fixture that ``isCrashFile``.
    var crashFile: URL {
        Self.folder.appendingPathComponent(name + (name.hasSuffix(".report") ? ".ips" : ".crash"))
    }

    /// Whether its debug information is in several files.
    var isSplit: Bool { name.hasPrefix("linux-c-split-dwarf") }

    /// Whether it belongs to a crash file with its own format.
    var isCrashFile: Bool { name.hasSuffix(".report") || name.hasSuffix(".legacy") }

    func expected() throws -> [ExpectedFrames.Frame] {
        let file = Self.folder.appendingPathComponent(name + ".expected.json")
        return try JSONDecoder().decode(ExpectedFrames.self, from: Data(contentsOf: file)).frames
    }
}
