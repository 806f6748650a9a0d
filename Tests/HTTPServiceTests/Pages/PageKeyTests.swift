import Foundation
import Problems
import TestSupport
import Testing

@testable import HTTPService

@Suite("Key of the pages")
struct PageKeyTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test("the key of a data folder is created once, readable only by its owner")
    func created() throws {
        let path = folder.path + "/pages.key"
        let first = try PageKey(dataFile: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try PageKey(dataFile: path).symmetric == first.symmetric)
        #expect(try PageKey(configuredFile: path).symmetric == first.symmetric)
    }

    @Test("a configured key is never created, and an unreadable one never replaced")
    func configured() throws {
        let path = folder.path + "/missing.key"
        let error = try #require(throws: PageKeyError.self) {
            try PageKey(configuredFile: path)
        }
        #expect(error.description.hasPrefix("pages.key_file: \(path): cannot be read"))
        #expect(!FileManager.default.fileExists(atPath: path))
        // A folder cannot be read as a file by any user.
        let ofData = try #require(throws: PageKeyError.self) {
            try PageKey(dataFile: folder.path)
        }
        #expect(ofData.problem.subject == folder.path)
    }

    @Test("a key of another length is refused")
    func length() throws {
        let path = try folder.write("short", to: "pages.key")
        #expect(throws: PageKeyError.self) { try PageKey(configuredFile: path) }
        #expect(throws: PageKeyError.self) { try PageKey(dataFile: path) }
    }
}
