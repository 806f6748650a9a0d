import Foundation
import PercentEncoding
import TestSupport
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("encodes every byte of a character, with digits in upper case")
    func digits() {
        #expect("é/ ~".percentEncoded() == "%C3%A9%2F%20~")
        #expect("é/ ~".percentEncoded(keepingSlashes: true) == "%C3%A9/%20~")
    }

    @Test(
        "encoding keeps the unreserved characters, and decoding restores all",
        arguments: UInt64(0)..<200)
    func roundTrip(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let text = String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 0...40, using: &numbers)).compactMap { _ in
                    let limit: UInt32 = Bool.random(using: &numbers) ? 0x80 : 0x11_0000
                    return Unicode.Scalar(UInt32.random(in: 0..<limit, using: &numbers))
                }))
        let encoded = text.percentEncoded()
        #expect(encoded.removingPercentEncoding == text)
        var unreserved = CharacterSet(charactersIn: "a"..."z")
        unreserved.formUnion(CharacterSet(charactersIn: "A"..."Z"))
        unreserved.formUnion(CharacterSet(charactersIn: "0123456789-._~"))
        #expect(encoded == text.addingPercentEncoding(withAllowedCharacters: unreserved))
        #expect(encoded.replacing("%2F", with: "/") == text.percentEncoded(keepingSlashes: true))
    }
}
