import TestSupport
import Testing

@testable import Ingest

@Suite("Cursors of exporters")
struct ExportCursorTests {
    @Test("the cursor waits for the first gap to close")
    func gap() {
        var cursor = ExportCursor(7)
        for entry in Int64(8)...10 { cursor.start(entry: entry, batchCount: 1) }
        cursor.finishBatch(of: 9)
        cursor.finishBatch(of: 10)
        #expect(cursor.number == 7)
        cursor.finishBatch(of: 8)
        #expect(cursor.number == 10)
        #expect(cursor.inFlightCount == 0)
    }

    @Test("an entry with nothing to send is passed with those before it")
    func nothingToSend() {
        var cursor = ExportCursor(0)
        cursor.start(entry: 3, batchCount: 0)
        #expect(cursor.number == 3)
        cursor.start(entry: 4, batchCount: 1)
        cursor.start(entry: 9, batchCount: 0)
        #expect(cursor.number == 3)
        cursor.finishBatch(of: 4)
        #expect(cursor.number == 9)
    }

    @Test("an entry is passed when all its batches are delivered")
    func parts() {
        var cursor = ExportCursor(0)
        cursor.start(entry: 1, batchCount: 3)
        cursor.finishBatch(of: 1)
        cursor.finishBatch(of: 1)
        #expect(cursor.number == 0)
        cursor.finishBatch(of: 1)
        #expect(cursor.number == 1)
    }

    @Test(
        "in any order the cursor is the end of the entries delivered without a gap",
        arguments: UInt64(0)..<50)
    func anyOrder(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var cursor = ExportCursor(0)
        var open: [Int64: Int] = [:]
        var next: Int64 = 0
        for _ in 0..<500 {
            if open.isEmpty || Bool.random(using: &numbers) {
                next += Int64.random(in: 1...3, using: &numbers)
                let count = Int.random(in: 0...3, using: &numbers)
                cursor.start(entry: next, batchCount: count)
                if count > 0 { open[next] = count }
            } else if let entry = open.keys.sorted().randomElement(using: &numbers) {
                cursor.finishBatch(of: entry)
                open[entry] = open[entry] == 1 ? nil : open[entry].map { $0 - 1 }
            }
            if let first = open.keys.min() { #expect(cursor.number < first) }
            if open.isEmpty { #expect(cursor.number == next) }
            #expect(cursor.inFlightCount >= open.count)
        }
        for (entry, count) in open { for _ in 0..<count { cursor.finishBatch(of: entry) } }
        #expect(cursor.number == next)
    }
}
