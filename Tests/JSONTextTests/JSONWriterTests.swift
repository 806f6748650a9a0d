import JSONText
import TestSupport
import Testing

@Suite("A JSON writer")
struct JSONWriterTests {
    @Test("writes compact text")
    func compact() {
        var writer = JSONWriter()
        writeSample(to: &writer)
        let expected =
            #"{"a":[1,-2,true,null],"empty":{},"text":"q\" b\\ n\n t\t r\r \u0001 \u001f é😀"}"#
        #expect(writer.text == expected)
    }

    @Test("escapes a character anywhere in a text of any length")
    func escapes() {
        let escapes = [
            ("\"", "\\\""), ("\\", "\\\\"), ("\u{1f}", "\\u001f"), ("\0", "\\u0000"), ("\n", "\\n"),
            (" ", " "), ("!", "!"), ("\u{7f}", "\u{7f}"), ("é", "é"), ("\u{10ffff}", "\u{10ffff}"),
        ]
        for length in 0..<20 {
            for place in 0...length {
                for (character, expected) in escapes {
                    let (before, after) = (
                        String(repeating: "#", count: place),
                        String(repeating: "[", count: length - place)
                    )
                    var writer = JSONWriter()
                    writer.string(before + character + after + character)
                    #expect(writer.text == "\"" + before + expected + after + expected + "\"")
                }
            }
        }
    }

    @Test("prewritten members can follow others, and can start an object")
    func writtenMembers() {
        let written = Array(#""a":1,"b":[]"#.utf8)
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(written: written.span)
        writer.key("c")
        writer.null()
        writer.members(written: written.span)
        writer.endObject()
        #expect(writer.text == #"{"a":1,"b":[],"c":null,"a":1,"b":[]}"#)
    }

    @Test("starts again after its text was removed")
    func removeAll() {
        var writer = JSONWriter()
        writeSample(to: &writer)
        let first = writer.text
        writer.removeAll()
        writeSample(to: &writer)
        #expect(writer.text == first)
    }

    @Test("writes each value on its own line")
    func pretty() {
        var writer = JSONWriter(layout: .pretty)
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.unsigned(.max)
        writer.signed(.min)
        writer.endArray()
        writer.key("b")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        let expected = """
            {
              "a": [
                18446744073709551615,
                -9223372036854775808
              ],
              "b": []
            }
            """
        #expect(writer.text == expected)
    }

    @Test("writes values outside of a container on separate lines")
    func lines() {
        var writer = JSONWriter()
        writer.unsigned(1)
        writer.beginObject()
        writer.endObject()
        #expect(writer.text == "1\n{}")
    }

    @Test("limits the indentation of deep levels")
    func indentation() {
        var writer = JSONWriter(layout: .pretty)
        for _ in 0..<1_000 { writer.beginArray() }
        for _ in 0..<1_000 { writer.endArray() }
        let widest = writer.bytes.split(separator: 0x0a)
            .map { $0.prefix { $0 == 0x20 }.count }.max()
        #expect(widest == 2 * JSONWriter.indentedDepthLimit)
    }

    @Test("writes the same value that was read, in either layout", arguments: UInt64(0)..<100)
    func roundTrip(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var original = JSONWriter()
        writeRandom(to: &original, using: &numbers)
        for layout in [JSONWriter.Layout.compact, .pretty] {
            var copy = JSONWriter(layout: layout)
            copy.copy(try #require(JSONDocument(original.bytes).root))
            var again = JSONWriter()
            let document = JSONDocument(copy.bytes)
            #expect(document.failure == nil)
            again.copy(try #require(document.root))
            #expect(again.text == original.text)
        }
    }

    @Test("copies a truncated text and closes its containers")
    func copiesTruncated() throws {
        var writer = JSONWriter()
        writer.copy(try #require(JSONDocument(Array(#"{"a":[1,{"b":2,"c":"#.utf8)).root))
        #expect(writer.text == #"{"a":[1,{"b":2}]}"#)
    }

    private func writeSample(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.unsigned(1)
        writer.signed(-2)
        writer.bool(true)
        writer.null()
        writer.endArray()
        writer.key("empty")
        writer.beginObject()
        writer.endObject()
        writer.key("text")
        writer.string("q\" b\\ n\n t\t r\r \u{1} \u{1f} é😀")
        writer.endObject()
    }

    /// Writes random values, following the grammar, to any depth.
    private func writeRandom(to writer: inout JSONWriter, using numbers: inout SplitMix64) {
        writer.beginArray()
        var open = [false]
        for _ in 0..<300 {
            if open.last == true { writer.key(randomText(using: &numbers)) }
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0...1:
                writer.beginArray()
                open.append(false)
            case 2:
                writer.beginObject()
                open.append(true)
            case 3: writer.unsigned(numbers.next())
            case 4: writer.signed(Int64(truncatingIfNeeded: numbers.next()))
            case 5: writer.bool(.random(using: &numbers))
            default: writer.string(randomText(using: &numbers))
            }
            if Int.random(in: 0..<3, using: &numbers) == 0, open.count > 1 {
                if open.removeLast() { writer.endObject() } else { writer.endArray() }
            }
        }
        while let isObject = open.popLast() {
            if isObject { writer.endObject() } else { writer.endArray() }
        }
    }

    private func randomText(using numbers: inout SplitMix64) -> String {
        let alphabet: [Character] = ["a", "\"", "\\", "\n", "\u{1}", "é", "😀", "/", "\u{7f}"]
        return String((0..<5).compactMap { _ in alphabet.randomElement(using: &numbers) })
    }
}
