import Decompression
import Testing

@Suite("Packed bodies")
struct PackedBodyTests {
    @Test("a body is read as stored, and compressed if that saves space")
    func roundTrip() throws {
        var numbers = SystemRandomNumberGenerator()
        for size in [0, 1, 255, 256, 4_000] {
            let repetitive = [UInt8](repeating: 7, count: size)
            let random = (0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            for body in [repetitive, random] {
                let packed = try PackedBody(body)
                #expect(packed.size == size)
                #expect(packed.bytes.count <= size)
                let stored = try PackedBody(
                    form: packed.form.rawValue, size: packed.size, bytes: packed.bytes)
                #expect(try stored.body() == body)
            }
            #expect(try PackedBody(random).form == .plain)
            #expect(try PackedBody(repetitive).form == (size < 256 ? .plain : .zstd))
        }
    }

    @Test("invalid rows are damaged, and a body beyond its declared size as well")
    func damaged() throws {
        let body = [UInt8](repeating: 7, count: 1_000)
        let packed = try PackedBody(body)
        #expect(throws: PackedBodyError.damaged("of form 2 and 9 bytes")) {
            try PackedBody(form: 2, size: 9, bytes: [])
        }
        #expect(throws: PackedBodyError.self) { try PackedBody(form: 1, size: -1, bytes: []) }
        #expect(throws: PackedBodyError.self) {
            try PackedBody(form: 1, size: PackedBody.sizeLimit + 1, bytes: [])
        }
        #expect(throws: PackedBodyError.self) {
            try PackedBody(form: 1, size: 1_000, bytes: [1, 2, 3]).body()
        }
        #expect(throws: PackedBodyError.self) {
            try PackedBody(form: 1, size: 999, bytes: packed.bytes).body()
        }
    }
}
