import Crypto
import Foundation
import Testing

@testable import SentryProtocol

@Suite("Tokens that name a server")
struct OrganizationTokenTests {
    private static func token(url: String) throws -> NewToken? {
        try NewToken(url: url, organization: "acme", time: 1_700_000_000)
    }

    @Test("a token has the prefix, the server as JSON, and 32 random bytes")
    func form() throws {
        let token = try #require(try Self.token(url: "https://symbols.example.com/"))
        let parts = token.text.split(separator: "_")
        try #require(parts.count == 3)
        #expect(parts[0] == "sntrys" && parts[2].count == 43)
        #expect(Data(base64Encoded: parts[2] + "=")?.count == 32)
        let payload = try #require(Data(base64Encoded: String(parts[1])))
        let object = try JSONSerialization.jsonObject(with: payload) as? [String: Any]
        #expect(object?["url"] as? String == "https://symbols.example.com")
        #expect(object?["region_url"] as? String == "https://symbols.example.com")
        #expect(object?["org"] as? String == "acme")
        #expect(object?["iat"] as? Double == 1_700_000_000)
        let digest = SHA256.hash(data: Data(token.text.utf8)).map { String(format: "%02x", $0) }
        #expect(token.digest == digest.joined())
        #expect(try Self.token(url: "https://symbols.example.com")?.text != token.text)
    }

    @Test("a token without a server has 64 hexadecimal digits")
    func plain() {
        let token = NewToken()
        #expect(token.text.count == 64 && token.text.allSatisfy(\.isHexDigit))
        #expect(NewToken().text != token.text)
    }

    @Test(
        "a URL that clients do not accept gives no token",
        arguments: [
            "symbols.example.com", "ftp://symbols.example.com", "https://symbols.example.com/path",
            "https://user@symbols.example.com", "https://", "https://symbols.example.com?a=b", "",
        ])
    func refused(url: String) throws {
        #expect(try Self.token(url: url) == nil)
    }
}
