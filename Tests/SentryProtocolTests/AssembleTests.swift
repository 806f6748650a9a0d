import CallStacks
import Foundation
import SymbolIntake
import Testing

@testable import SentryProtocol

@Suite("Assemble requests and replies")
struct AssembleTests {
    private static let file = String(repeating: "a1", count: 20)
    private static let chunk = String(repeating: "B2", count: 20)

    private static func object(_ reply: AssembleReply) throws -> [String: Any] {
        let data = try JSONEncoder().encode(reply)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("a request lists files with their chunks, and checksums are accepted in either case")
    func request() throws {
        let text = #"{"\#(Self.file)":{"name":"Shop","debug_id":"X","chunks":["\#(Self.chunk)"]}}"#
        let request = try AssembleRequest(Array(text.utf8))
        let file = try #require(request.files[Self.file])
        #expect(file.debugID == "X")
        #expect(file.content.name == "Shop")
        #expect(file.content.chunks.map(\.text) == [Self.chunk.lowercased()])
    }

    @Test(
        "a body that is not a request is refused",
        arguments: [
            "", "[]", #"{"x":{"name":"a","chunks":[]}}"#,
            #"{"\#(file)":{"name":"a"}}"#, #"{"\#(file)":{"name":"a","chunks":["zz"]}}"#,
            #"{"\#(file)":{"name":1,"chunks":[]}}"#,
        ])
    func refused(text: String) {
        #expect(throws: AssembleRequestError.self) { try AssembleRequest(Array(text.utf8)) }
    }

    @Test("every reply has a list of missing chunks, which is empty except for a missing file")
    func replies() throws {
        let checksum = try #require(SHA1Checksum(Self.file))
        let chunk = try #require(SHA1Checksum(Self.chunk))
        for (state, word, count) in [
            (ChunkedFileState.missing([chunk]), "not_found", 1), (.assembling, "assembling", 0),
            (.rejected("no symbols"), "error", 0), (.accepted("sources"), "ok", 0),
        ] {
            let reply = try Self.object(
                AssembleReply(state, checksum: checksum, debugID: nil))
            #expect(reply["state"] as? String == word)
            #expect((reply["missingChunks"] as? [String])?.count == count)
            #expect(reply["dif"] == nil)
        }
    }

    @Test("a Mach-O UUID keeps its byte order, and a build ID is written as a GUID")
    func debugIDs() throws {
        let uuid = try #require(ImageID("67E9247C-814E-392B-A027-DBDE6748FCBF"))
        #expect(
            DebugID(uuid, isBuildID: false).hyphenated == "67e9247c-814e-392b-a027-dbde6748fcbf")
        let build = try #require(ImageID("1326c62d86757ec9ee08062efb30baa5d36dc121"))
        #expect(
            DebugID(build, isBuildID: true).hyphenated == "2dc62613-7586-c97e-ee08-062efb30baa5")
        let short = try #require(ImageID("0102030405060708"))
        #expect(
            DebugID(short, isBuildID: true).hyphenated == "04030201-0605-0807-0000-000000000000")
    }
}
