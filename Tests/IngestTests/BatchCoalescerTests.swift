import Testing

@testable import Ingest

@Suite("Coalescing of batches")
struct BatchCoalescerTests {
    @Test("bodies are concatenated, each signal separately")
    func concatenation() {
        var coalescer = BatchCoalescer(bytesLimit: 100, recordLimit: 100)
        for number in Int64(1)...3 {
            #expect(coalescer.add(batch(entry: number), entry: number, round: 1).isEmpty)
        }
        #expect(coalescer.add(batch(.traces, entry: 4), entry: 4, round: 1).isEmpty)
        let batches = coalescer.close().sorted { $0.signal.rawValue < $1.signal.rawValue }
        #expect(batches.map(\.batch.body) == [[1, 2, 3], [4]])
        #expect(batches.map { $0.parts.map(\.entry) } == [[1, 2, 3], [4]])
        #expect(coalescer.isEmpty)
    }

    @Test("a batch that does not fit starts the next one")
    func bytesLimit() {
        var coalescer = BatchCoalescer(bytesLimit: 10, recordLimit: 100)
        #expect(coalescer.add(batch(entry: 1, byteCount: 6), entry: 1, round: 1).isEmpty)
        let full = coalescer.add(batch(entry: 2, byteCount: 5), entry: 2, round: 1)
        #expect(full.map { $0.byteCount } == [6])
        #expect(coalescer.add(batch(entry: 3, byteCount: 5), entry: 3, round: 1).count == 1)
        #expect(coalescer.isEmpty)
    }

    @Test("a batch beyond the limit is sent alone")
    func oversized() {
        var coalescer = BatchCoalescer(bytesLimit: 10, recordLimit: 100)
        _ = coalescer.add(batch(entry: 1, byteCount: 3), entry: 1, round: 1)
        let full = coalescer.add(batch(entry: 2, byteCount: 50), entry: 2, round: 1)
        #expect(full.map { $0.byteCount } == [3, 50])
    }

    @Test("records are limited like bytes")
    func recordLimit() {
        var coalescer = BatchCoalescer(bytesLimit: 1_000, recordLimit: 5)
        #expect(coalescer.add(batch(entry: 1, recordCount: 3), entry: 1, round: 1).isEmpty)
        let full = coalescer.add(batch(entry: 2, recordCount: 3), entry: 2, round: 1)
        #expect(full.map(\.recordCount) == [3])
        #expect(coalescer.add(batch(entry: 3, recordCount: 2), entry: 3, round: 1).count == 1)
    }

    @Test("at the end of a round only batches opened before it are closed")
    func rounds() {
        var coalescer = BatchCoalescer(bytesLimit: 100, recordLimit: 100)
        _ = coalescer.add(batch(.logs, entry: 1), entry: 1, round: 1)
        _ = coalescer.add(batch(.metrics, entry: 2), entry: 2, round: 2)
        #expect(coalescer.close(round: 1).map(\.signal) == [.logs])
        #expect(coalescer.close(round: 2).map(\.signal) == [.metrics])
    }

    @Test("a coalesced batch can be divided again, down to its entries")
    func halves() throws {
        var whole = CoalescedBatch(batch(entry: 1, byteCount: 2, recordCount: 5), entry: 1)
        whole.append(batch(entry: 2, byteCount: 0, recordCount: 0), entry: 2)
        whole.append(batch(entry: 3, byteCount: 3, recordCount: 7), entry: 3)
        #expect(whole.batch.body == [1, 1, 3, 3, 3])
        let (first, rest) = try #require(whole.halves())
        #expect(first.batch.body == [1, 1])
        #expect(first.recordCount == 5)
        #expect(rest.batch.body == [3, 3, 3])
        #expect(rest.parts.map(\.entry) == [2, 3])
        let (second, third) = try #require(rest.halves())
        #expect(second.batch.body.isEmpty)
        #expect(third.batch.recordCount == 7)
        #expect(third.halves() == nil, "its body can't be read")
    }
}
