import Testing

@testable import Ingest

@Suite("Assembly of batches")
struct ExportAssemblyTests {
    @Test("bodies follow one another, each signal by itself")
    func concatenation() {
        var assembly = ExportAssembly(bytesLimit: 100, recordLimit: 100)
        for number in Int64(1)...3 {
            #expect(assembly.add(batch(entry: number), entry: number, round: 1).isEmpty)
        }
        #expect(assembly.add(batch(.traces, entry: 4), entry: 4, round: 1).isEmpty)
        let parcels = assembly.close().sorted { $0.signal.rawValue < $1.signal.rawValue }
        #expect(parcels.map(\.body) == [[1, 2, 3], [4]])
        #expect(parcels.map { $0.parts.map(\.entry) } == [[1, 2, 3], [4]])
        #expect(assembly.isEmpty)
    }

    @Test("what would not fit begins the next one")
    func bytesLimit() {
        var assembly = ExportAssembly(bytesLimit: 10, recordLimit: 100)
        #expect(assembly.add(batch(entry: 1, byteCount: 6), entry: 1, round: 1).isEmpty)
        let full = assembly.add(batch(entry: 2, byteCount: 5), entry: 2, round: 1)
        #expect(full.map { $0.body.count } == [6])
        #expect(assembly.add(batch(entry: 3, byteCount: 5), entry: 3, round: 1).count == 1)
        #expect(assembly.isEmpty)
    }

    @Test("a batch beyond the limit goes out alone")
    func oversized() {
        var assembly = ExportAssembly(bytesLimit: 10, recordLimit: 100)
        _ = assembly.add(batch(entry: 1, byteCount: 3), entry: 1, round: 1)
        let full = assembly.add(batch(entry: 2, byteCount: 50), entry: 2, round: 1)
        #expect(full.map { $0.body.count } == [3, 50])
    }

    @Test("records are counted as bytes are")
    func recordLimit() {
        var assembly = ExportAssembly(bytesLimit: 1_000, recordLimit: 5)
        #expect(assembly.add(batch(entry: 1, recordCount: 3), entry: 1, round: 1).isEmpty)
        let full = assembly.add(batch(entry: 2, recordCount: 3), entry: 2, round: 1)
        #expect(full.map(\.recordCount) == [3])
        #expect(assembly.add(batch(entry: 3, recordCount: 2), entry: 3, round: 1).count == 1)
    }

    @Test("at the end of a round only what was there at its beginning is closed")
    func rounds() {
        var assembly = ExportAssembly(bytesLimit: 100, recordLimit: 100)
        _ = assembly.add(batch(.logs, entry: 1), entry: 1, round: 1)
        _ = assembly.add(batch(.metrics, entry: 2), entry: 2, round: 2)
        #expect(assembly.close(round: 1).map(\.signal) == [.logs])
        #expect(assembly.close(round: 2).map(\.signal) == [.metrics])
    }

    @Test("a parcel can be taken apart again, down to its entries")
    func halves() throws {
        var whole = ExportParcel(batch(entry: 1, byteCount: 2, recordCount: 5), entry: 1)
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
