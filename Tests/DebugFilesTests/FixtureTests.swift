import ByteReading
import CallStacks
import DebugFiles
import Foundation
import TestSupport
import Testing

/// The debug files of the sample apps, unchanged from compilers and linkers.
@Suite("Fixtures as debug files")
struct FixtureTests {
    private let folder = projectFolder.appendingPathComponent("Symbols")

    /// Every Mach-O and ELF file under `Symbols`, by its path there, sorted.
    private func symbolFiles() throws -> [(path: String, contents: DebugFileContents)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        // The trees of build IDs are copies.
        return try paths.filter { !$0.contains("/.build-id/") }.compactMap { path in
            let url = folder.appendingPathComponent(path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { return nil }
            let bytes = FileBytes(try Data(contentsOf: url))
            do throws(DebugFileError) {
                return (path, try DebugFile.slices(of: bytes, name: path))
            } catch {
                if error.reason == .unrecognised { return nil }
                throw error
            }
        }
    }

    private func contents(of path: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(path))
    }

    @Test("the contents of each file are as recorded")
    func inventory() throws {
        var lines: [String] = []
        for (path, contents) in try symbolFiles() {
            #expect(contents.failures.isEmpty)
            for file in contents.files {
                let summary = file.summary()
                let versions = summary.dwarfVersions.map { "DWARF \($0)" }
                let words =
                    [file.architecture.name, file.kind.rawValue, file.platform ?? "-"] + versions
                    + ["quality \(summary.quality.rawValue)"]
                    + summary.warnings.map(\.code.rawValue)
                lines.append("\(path)\n    \(words.joined(separator: ", "))")
            }
        }
        try expectGolden(lines.joined(separator: "\n") + "\n", "inventory.txt")
    }

    @Test("a full read and a summary agree on the contents of a file")
    func summaries() throws {
        for (_, contents) in try symbolFiles() {
            for file in contents.files {
                var sink = RecordingSink()
                let full = file.read(into: &sink)
                let quick = file.summary()
                #expect(full.quality == quick.quality)
                #expect(full.dwarfVersions == quick.dwarfVersions)
                #expect(full.symbolCount == quick.symbolCount)
                #expect(full.warnings == quick.warnings)
            }
        }
    }

    @Test(
        "a stripped app and the dSYM of its build share an identity",
        arguments: ["Orchard.app", "OrchardKit.framework"])
    func releasedApp(bundle: String) throws {
        let name = (bundle as NSString).deletingPathExtension
        let files = try symbolFiles().filter {
            $0.path.hasPrefix("orchard-1.4.0-arm64-release-dwarf4/")
                && $0.path.hasSuffix("/\(name)")
        }
        let ids = try files.map { try #require($0.contents.files.first?.id) }
        #expect(ids.count == 2)
        #expect(Set(ids).count == 1)
    }

    @Test("a stripped program and its debug file share an identity, and the program names the file")
    func strippedPrograms() throws {
        let files = Dictionary(
            uniqueKeysWithValues: try symbolFiles().map { ($0.path, $0.contents) })
        let debugPaths = files.keys.filter { $0.hasPrefix("linux-") && $0.hasSuffix(".debug") }
        #expect(debugPaths.count >= 10)
        for path in debugPaths {
            let debugFile = try #require(files[path]?.files.first)
            let program = try #require(files[String(path.dropLast(".debug".count))]?.files.first)
            #expect(program.id != nil)
            #expect(program.id == debugFile.id)
            #expect(program.layout == debugFile.layout)
            let name = (path as NSString).lastPathComponent
            #expect(program.debugFileLink?.fileName == name)
            let hex = try #require(program.id).hex
            let tree = (path as NSString).deletingLastPathComponent + "/.build-id/"
            let copy = tree + "\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
            #expect(try contents(of: copy) == contents(of: path))
        }
    }
}
