import CallStacks
import TestSupport
import Testing

@Suite("Image identities")
struct ImageIDTests {
    @Test(
        "a UUID is the same in every spelling",
        arguments: [
            "CF441AF5-BB7E-3567-8D44-451D69214D92", "cf441af5-bb7e-3567-8d44-451d69214d92",
            "CF441AF5BB7E35678D44451D69214D92", "{CF441AF5-BB7E-3567-8D44-451D69214D92}",
        ])
    func spellings(text: String) throws {
        let id = try #require(ImageID(text))
        #expect(id.description == "CF441AF5-BB7E-3567-8D44-451D69214D92")
        #expect(id.hex == "cf441af5bb7e35678d44451d69214d92")
    }

    @Test("a build ID is written in lower case without hyphens")
    func buildID() throws {
        let id = try #require(ImageID("58C59E1E00112233445566778899AABBCCDDEEFF"))
        #expect(id.description == "58c59e1e00112233445566778899aabbccddeeff")
        #expect(!id.hasUUIDLength)
    }

    @Test(
        "an invalid identity is nil",
        arguments: [
            "", "-", "abc", "xy", "00000000-0000-0000-0000-000000000000", "CF441AF5 BB7E",
            String(repeating: "ab", count: 33), String(repeating: "a", count: 1_000_001),
        ])
    func refused(text: String) {
        #expect(ImageID(text) == nil)
    }

    @Test("an identity has at most 32 bytes")
    func longest() {
        #expect(ImageID(String(repeating: "ab", count: 32))?.bytes.count == 32)
    }

    @Test("an identity is read back from its text", arguments: UInt64(0)..<50)
    func roundTrip(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let bytes = (0..<Int.random(in: 1...32, using: &numbers)).map { _ in
            UInt8.random(in: 1...255, using: &numbers)
        }
        let id = try #require(ImageID(bytes: bytes))
        #expect(ImageID(id.description) == id)
        #expect(ImageID(id.hex) == id)
    }
}
