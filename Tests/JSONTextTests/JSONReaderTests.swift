import Problems
import TestSupport
import Testing

@testable import JSONText

@Suite("A JSON reader")
struct JSONReaderTests {
    @Test(
        "accepts everything that RFC 8259 allows",
        arguments: [
            "null", "true", "false", "0", "-0", "12", "-12.5e+3", "1E9", "\"\"", "[]", "{}",
            "[[],{}]", "{\"a\":{\"b\":[1,2]},\"a\":null}", " \t\r\n[ 1 , 2 ] \n",
            "\"\\u00e9\\n\\/\\\\\"", "\"é\u{10ffff}\u{7f}\"", "\"\\ud800\"",
        ])
    func accepts(text: String) throws {
        #expect(try tokens(text).isEmpty == false)
    }

    @Test(
        "rejects text that is not JSON",
        arguments: [
            "nul!", "tru}", "01", "+1", "1.}", "-x", "1ex", ".5", "[1,]", "[1 2]", "{\"a\"}",
            "{\"a\" 1}", "{1:2}", "{,}", "[}", "{]", "\"\t\"", "\"\\x\"", "\"\\u12g4\"", "]", ",",
            "[01]", "[1x]", "'a'", "{\"a\":1,}", "NaN", "\u{feff}1",
        ])
    func refuses(text: String) {
        #expect(failure(of: text)?.isInvalid == true, "\(text)")
    }

    @Test("accepts a comma before a closing bracket only if allowed")
    func trailingCommas() throws {
        for text in ["[1,]", "{\"a\":1, }", "[[1,],\n]"] {
            var reader = JSONReader(Array(text.utf8), allowsTrailingCommas: true)
            while try reader.next() != nil {}
            #expect(reader.offset == text.utf8.count)
        }
        for text in ["[,]", "[1,,]", "{,}", "[1,}"] {
            var reader = JSONReader(Array(text.utf8), allowsTrailingCommas: true)
            #expect(throws: JSONError.self) { while try reader.next() != nil {} }
        }
    }

    @Test(
        "rejects bytes that are not UTF-8",
        arguments: [
            [0x80], [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
            [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80],
            [0xc3, 0x28], [0xe2, 0x82, 0x28], [0xff],
        ] as [[UInt8]])
    func refusesBytes(bytes: [UInt8]) {
        #expect(failure(of: [0x22] + bytes + [0x22])?.isInvalid == true)
    }

    @Test(
        "distinguishes truncated text from invalid text",
        arguments: [
            "[", "{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1", "[1,", "[-", "[1.", "[1e",
            "\"",
            "\"\\", "\"\\u00", "[tr", "[\"é",
        ])
    func truncated(text: String) {
        #expect(failure(of: text)?.reason == .truncated, "\(text)")
    }

    @Test("returns no number that the end of the text may have truncated")
    func truncatedNumber() throws {
        var reader = JSONReader(Array("[12,345".utf8))
        #expect(try reader.next()?.kind == .arrayStart)
        #expect(try reader.next()?.range == 1..<3)
        #expect(throws: JSONError(.truncated, at: 7)) { try reader.next() }
    }

    @Test("reports the position of an error")
    func position() throws {
        let bytes = Array("{\n  \"a\": 1,\n  b\n}".utf8)
        let error = try #require(failure(of: bytes))
        #expect(error.offset == 14)
        #expect(error.description == "json+0xe: expected a key")
    }

    @Test("reads several values in a row")
    func sequence() throws {
        var reader = JSONReader(Array("{\"a\":1}\n[2]3 \"x\"\n".utf8))
        var values = 0
        while try reader.next() != nil {
            if reader.isBetweenValues { values += 1 }
        }
        #expect(values == 4)
    }

    @Test("accepts nesting up to the limit")
    func depth() throws {
        var limits = JSONLimits()
        limits.depth = 100
        let allowed = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(failure(of: Array(allowed.utf8), limits: limits) == nil)
        let refused = failure(of: Array(repeating: UInt8(ascii: "["), count: 101), limits: limits)
        #expect(refused == JSONError(.depthLimit(100), at: 100))
    }

    @Test("reads as many bytes as the limit")
    func bytesLimit() {
        var limits = JSONLimits()
        limits.bytes = 4
        #expect(failure(of: Array("[12]".utf8), limits: limits) == nil)
        #expect(failure(of: Array("[123]".utf8), limits: limits)?.reason == .bytesLimit(4))
    }

    @Test("never traps on random bytes", arguments: UInt64(0)..<200)
    func random(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let alphabet = Array("{}[]\",:\\u0123eE+-.tfn \n\u{e9}".utf8)
        let bytes = (0..<200).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
        var reader = JSONReader(bytes)
        var count = 0
        while let token = try? reader.next() {
            #expect(token.range.upperBound <= bytes.count)
            count += 1
        }
        #expect(count <= bytes.count)
    }
}

private func tokens(_ text: String) throws(JSONError) -> [JSONToken] {
    var reader = JSONReader(Array(text.utf8))
    var tokens: [JSONToken] = []
    while let token = try reader.next() { tokens.append(token) }
    return tokens
}

private func failure(of text: String) -> JSONError? { failure(of: Array(text.utf8)) }

private func failure(of bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
    var reader = JSONReader(bytes, limits: limits)
    do throws(JSONError) {
        while try reader.next() != nil {}
        return nil
    } catch {
        return error
    }
}

extension JSONError {
    fileprivate var isInvalid: Bool {
        if case .invalid = reason { true } else { false }
    }
}
