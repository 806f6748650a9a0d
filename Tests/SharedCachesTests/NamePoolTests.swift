import Testing

@testable import SharedCaches

@Suite("Pools of names")
struct NamePoolTests {
    @Test("a name is stored once")
    func names() {
        var pool = NamePool(forUpTo: 4)
        let offsets = ["main", "helper", "main", "help"].map { offset(of: $0, in: &pool) }
        #expect(offsets == [1, 6, 1, 13])
    }

    private func offset(of name: String, in pool: inout NamePool) -> UInt32? {
        let bytes = Array(name.utf8)
        return pool.offset(of: bytes.span)
    }

    /// Returns names that collide in FNV-1a over words, whatever its state: it moves a difference
    /// in the highest bit of a word to the two highest bits of the halves, where the next word
    /// removes it.
    private func crafted(bits: Int) -> [[UInt8]] {
        var names: [[UInt8]] = [[]]
        for _ in 0..<bits {
            names = names.flatMap { name -> [[UInt8]] in
                var other = [UInt8](repeating: 0x61, count: 16)
                for index in [7, 11, 15] { other[index] ^= 0x80 }
                return [name + [UInt8](repeating: 0x61, count: 16), name + other]
            }
        }
        return names
    }

    @Test("crafted names do not share a slot", .timeLimit(.minutes(1)))
    func collisions() {
        let names = crafted(bits: 15)
        var pool = NamePool(forUpTo: names.count)
        let offsets = names.map { pool.offset(of: $0.span) }
        #expect(Set(offsets).count == names.count)
    }
}
