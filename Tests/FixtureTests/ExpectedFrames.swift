import Foundation
import TestSupport
import Testing

/// What a fixture's `.expected.json` says: the frames that the markers in the sources give.
struct ExpectedFrames: Decodable {
    struct Frame: Decodable {
        /// Such as `crashDiagnostics[0]`, where the payload holds several diagnostics.
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
        /// Whether the code is the compiler's or the standard library's: only its name is expected.
        var unmarked: Bool?
        /// Why the optimiser kept nothing of the line, where it did.
        var lost: String?
        /// Whether only the symbol table knows the function.
        var symbolOnly: Bool?
        /// Functions that share the code, each as good an answer as this one.
        var alternatives: [Function]?

        enum CodingKeys: String, CodingKey {
            case function, file, path, line, inlined, unmarked, lost, alternatives
            case symbolOnly = "symbol_only"
        }
    }

    var frames: [Frame]
}

/// What is expected of a diagnostic of the fixtures, or of a crash of which only offsets were kept.
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

    /// The diagnostic as a device or SDK would send it, where there is one.
    var input: URL? {
        let file = Self.folder.appendingPathComponent(name + ".json")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    /// The crash file, for a fixture that ``isCrashFile``.
    var crashFile: URL {
        Self.folder.appendingPathComponent(name + (name.hasSuffix(".report") ? ".ips" : ".crash"))
    }

    /// Whether what explains it is in more files than one.
    var isSplit: Bool { name.hasPrefix("linux-c-split-dwarf") }

    /// Whether it is of a crash file that has a format of its own.
    var isCrashFile: Bool { name.hasSuffix(".report") || name.hasSuffix(".legacy") }

    func expected() throws -> [ExpectedFrames.Frame] {
        let file = Self.folder.appendingPathComponent(name + ".expected.json")
        return try JSONDecoder().decode(ExpectedFrames.self, from: Data(contentsOf: file)).frames
    }
}
