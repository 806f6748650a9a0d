import ByteReading
import Decompression
import TestSupport
import Testing

@Suite("xz streams")
struct XZStreamTests {
    private static let text = Array(String(repeating: "symbolist ", count: 500).utf8)

    private func inflated(
        _ stream: [UInt8], limit: Int = text.count
    ) throws(ReadingError) -> [UInt8] {
        let bytes = FileBytes(stream, subject: ".gnu_debugdata")
        let inflated = try XZStream(bytes).inflated(limit: UInt64(limit))
        #expect(inflated.subject == ".gnu_debugdata")
        return inflated.withSpan(of: 0..<inflated.count) { span in span.indices.map { span[$0] } }
    }

    private func problem(_ stream: [UInt8], limit: Int = text.count) -> String? {
        #expect(throws: ReadingError.self) { try inflated(stream, limit: limit) }?.description
    }

    @Test(
        "streams of every kind inflate to the original",
        arguments: ["", "-0", "-9e", "--check=none", "--x86 --lzma2", "--block-size=1000"])
    func inflates(options: String) throws {
        let stream = try xzStream(Self.text, options: options)
        #expect(try inflated(stream) == Self.text)
    }

    @Test("an empty file is a stream without blocks")
    func empty() throws {
        #expect(try inflated(try xzStream([])) == [])
        #expect(problem([]) == ".gnu_debugdata+0x0: xz stream is corrupt or truncated")
    }

    @Test("one byte more than the limit is an error that names the limit")
    func limit() throws {
        let text = [UInt8](repeating: 0, count: (1 << 20) + 1)
        let stream = try xzStream(text)
        #expect(try inflated(stream, limit: text.count) == text)
        #expect(
            problem(stream, limit: 1 << 20) == ".gnu_debugdata+0x0: inflates to more than 1 MiB")
    }

    @Test("every prefix is an error, and so is anything after the end")
    func prefixes() throws {
        let stream = try xzStream(Self.text)
        for end in stream.indices {
            #expect(throws: ReadingError.self) { try inflated(Array(stream[..<end])) }
        }
        #expect(throws: ReadingError.self) { try inflated(stream + [0, 0, 0, 0]) }
        #expect(throws: ReadingError.self) { try inflated(stream + stream) }
    }

    @Test("a changed byte is an error")
    func damage() throws {
        let stream = try xzStream(Self.text)
        for place in stream.indices {
            var damaged = stream
            damaged[place] ^= 0x10
            #expect(throws: ReadingError.self) { try inflated(damaged) }
        }
    }

    @Test("a dictionary over the memory limit is an error")
    func memory() throws {
        let stream = try xzStream(Self.text)
        // 64 MiB and 128 MiB.
        #expect(try inflated(xzStream(stream, dictionarySize: 28)) == Self.text)
        #expect(
            problem(xzStream(stream, dictionarySize: 30))
                == ".gnu_debugdata+0x0: xz stream needs over 128 MiB to inflate")
    }
}
