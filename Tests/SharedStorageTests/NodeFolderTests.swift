import Problems
import SymbolIntake
import TestSupport
import Testing

@testable import symbolist

@Suite("The data folder of a node")
struct NodeFolderTests {
    private func refusal(_ folder: TestFolder) -> String? {
        do {
            _ = try NodeFolder(folder.path)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("a folder is used by one node at a time")
    func lock() throws {
        let folder = try TestFolder()
        let node = try NodeFolder(folder.path)
        #expect(
            refusal(folder)
                == "data: '\(folder.path)' is in use by another process: "
                + "stop it, or use another folder")
        withExtendedLifetime(node) {}
    }

    @Test("the folder of a single service is refused until it was moved")
    func single() throws {
        let folder = try TestFolder()
        _ = try folder.write([UInt8](), to: "symbolist.sqlite")
        #expect(
            refusal(folder)
                == "data: '\(folder.path)' has the data of a single service: "
                + "run symbolist move, or use another folder")
        var mark = MoveMark(folder: folder.path, database: "db1/symbolist")
        try mark.write()
        #expect(refusal(folder)?.contains("is being moved to db1/symbolist") == true)
        try mark.finish()
        #expect(refusal(folder) == nil)
    }
}
