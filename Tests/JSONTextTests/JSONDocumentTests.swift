import JSONText
import Testing

@Suite("A JSON document")
struct JSONDocumentTests {
    private func root(_ text: String) throws -> JSONValue {
        try #require(JSONDocument(Array(text.utf8)).root)
    }

    @Test("finds members in any order and escaped")
    func members() throws {
        // Of two members with one name, the last counts.
        let value = try root(#"{"b":[1,[2,3],4],"a":0,"\u0061":{"c":true}}"#)
        #expect(value["a"]?["c"]?.bool == true)
        #expect(value["b"]?.elements.map(\.kind) == [.number, .array, .number])
        #expect(value.members.map(\.key) == ["b", "a", "a"])
        #expect(value["d"] == nil)
        #expect(value["b"]?["x"] == nil)
    }

    @Test(
        "decodes escapes",
        arguments: [
            (#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{c}\n\r\t/\\\""), (#""\u00e9""#, "é"),
            (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00!""#, "😀!"), (#""\u0000""#, "\0"),
            (#""\ud800x""#, "\u{fffd}x"), (#""\udc00""#, "\u{fffd}"),
            (#""\ud800\u0041""#, "\u{fffd}A"), (#""\ud800\ud83d\ude00""#, "\u{fffd}😀"),
            (#""\udbff\udfff""#, "\u{10ffff}"), (#""\ud800\n""#, "\u{fffd}\n"),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(try root(text).string == expected)
    }

    @Test(
        "keeps 64-bit integers exact, in any notation",
        arguments: [
            ("18446744005123453260", .unsigned(18_446_744_005_123_453_260)),
            ("18446744073709551615", .unsigned(.max)), ("1.0", .unsigned(1)),
            ("1e3", .unsigned(1000)), ("12.50e1", .unsigned(125)), ("0e999999999999", .unsigned(0)),
            ("-0", .unsigned(0)), ("100e-2", .unsigned(1)), ("-7", .negative(-7)),
            ("-9223372036854775808", .negative(.min)),
            ("18446744073709551616", .real(18_446_744_073_709_551_616)), ("1.5", .real(1.5)),
            ("-9223372036854775809", .real(-9_223_372_036_854_775_808)), ("1e20", .real(1e20)),
            ("1e19", .unsigned(10_000_000_000_000_000_000)),
            ("1e999999", .real(.infinity)), ("1e-1", .real(0.1)),
            ("0.000000000000000000000000000001e30", .unsigned(1)),
        ] as [(String, JSONNumber)])
    func numbers(text: String, expected: JSONNumber) throws {
        #expect(try root(text).number == expected)
    }

    @Test("closes the open containers of a truncated text, and reports that")
    func salvage() throws {
        let document = JSONDocument(Array(#"{"a":[{"b":1,"c":"#.utf8))
        #expect(document.failure == JSONError(.truncated, at: 17))
        let value = try #require(document.root)
        #expect(!value.isWhole)
        #expect(value["a"]?.isWhole == false)
        let inner = try #require(value["a"]?.elements.first { _ in true })
        #expect(inner.members.map(\.key) == ["b"])
        #expect(inner["b"]?.unsigned == 1)
        #expect(value.range == 0..<17)
    }

    @Test("has no root if no value starts", arguments: ["", "  ", "]", "x"])
    func empty(text: String) {
        #expect(JSONDocument(Array(text.utf8)).root == nil)
    }

    @Test("accepts as many tokens as the limit")
    func tokensLimit() throws {
        var limits = JSONLimits()
        limits.tokens = 4
        #expect(JSONDocument(Array("[1,2,3]".utf8), limits: limits).failure == nil)
        let cut = JSONDocument(Array("[1,2,3,4]".utf8), limits: limits)
        #expect(cut.failure?.reason == .tokensLimit(4))
        #expect(cut.root?.elements.compactMap(\.unsigned) == [1, 2, 3])
    }
}
