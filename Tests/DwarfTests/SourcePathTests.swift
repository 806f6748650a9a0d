import CallStacks
import Testing

@testable import Dwarf

@Suite("Paths of sources")
struct SourcePathTests {
    /// `folder|name` of the file that the first row names.
    private func path(
        version: UInt16, folder: String?, folders: [String], file: (String, UInt64)
    ) throws -> String? {
        var lines = LineAssembler(version: version, folders: folders, files: [file, file])
        lines.sequence(0x1000..<0x1010, line: 1)
        var attributes = [DieAttribute.lines(at: 0)]
        if let folder { attributes.append(.text(0x1b, folder)) }
        let (records, _) = try read(.unit(attributes, []), version: 4, [.line: lines.bytes])
        return records.files.first
    }

    @Test("before version 5 parts are joined from the last absolute one on")
    func oldVersions() throws {
        func path(_ name: String, _ number: UInt64) throws -> String? {
            try self.path(
                version: 4, folder: "/build", folders: ["inc", "/usr/include"],
                file: (name, number))
        }
        #expect(try path("a.c", 0) == "/build|a.c")
        #expect(try path("a.h", 1) == "/build/inc|a.h")
        #expect(try path("a.h", 2) == "/usr/include|a.h")
        #expect(try path("/abs/a.c", 1) == "/abs|a.c")
        #expect(try path("../x/./a.c", 1) == "/build/inc/../x/.|a.c")
        #expect(try path("/a.c", 0) == "/|a.c")
        #expect(try path("a.c", 9) == "/build|a.c")
    }

    @Test("directory 0 of version 5 is never appended to the compilation folder")
    func version5() throws {
        func path(_ name: String, _ number: UInt64) throws -> String? {
            try self.path(
                version: 5, folder: "/build", folders: ["stdio", "inc", "/usr/include"],
                file: (name, number))
        }
        #expect(try path("a.c", 0) == "stdio|a.c")
        #expect(try path("a.h", 1) == "/build/inc|a.h")
        #expect(try path("a.h", 2) == "/usr/include|a.h")
        #expect(try path("/abs/a.c", 1) == "/abs|a.c")
    }

    @Test("paths that share a long folder cost their whole length, even if they are too long")
    func sharedFolder() throws {
        var lines = LineAssembler()
        lines.files = (0..<1000).map { (name: "\($0)", folder: 0) }
        lines.address(0x1000)
        for file in 1...1000 as ClosedRange<UInt64> {
            lines.file(file)
            lines.row()
            lines.advance(1)
        }
        lines.end()
        let folder = String(repeating: "a", count: 60_000)
        let (records, summary) = try read(
            .unit([.lines(at: 0), .text(0x1b, folder)], []), [.line: lines.bytes])
        #expect(summary.warnings == [.workBudget] && summary.unitsFailed == 1)
        #expect(records.files == [])
    }

    @Test("Windows paths keep their separators")
    func windows() throws {
        #expect(
            try path(version: 4, folder: "C:\\build", folders: ["src\\x"], file: ("a.c", 1))
                == "C:\\build\\src\\x\\|a.c")
        #expect(
            try path(version: 4, folder: "C:/build", folders: [], file: ("a.c", 0))
                == "C:/build|a.c")
        #expect(
            try path(version: 4, folder: "/build", folders: [], file: ("D:\\a.c", 0))
                == "D:\\|a.c")
        #expect(
            try path(version: 4, folder: "/build", folders: [], file: ("odd\\name.c", 0))
                == "/build|odd\\name.c")
    }

    @Test("without folders there is a name; without a name there is no file")
    func incomplete() throws {
        #expect(try path(version: 4, folder: nil, folders: [], file: ("a.c", 0)) == "|a.c")
        #expect(try path(version: 5, folder: nil, folders: [], file: ("", 0)) == nil)
    }

    @Test("a path of 4 KiB is kept, one byte more is not")
    func pathLimit() throws {
        let folder = "/" + String(repeating: "d", count: LineTableFiles.pathLimit - 5)
        #expect(
            try path(version: 4, folder: folder, folders: [], file: ("a.c", 0))
                == "\(folder)|a.c")
        #expect(
            try path(version: 4, folder: folder, folders: [], file: ("ab.c", 0)) == nil)
    }
}
