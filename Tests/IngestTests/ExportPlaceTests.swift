import TestSupport
import Testing

@testable import Ingest

@Suite("Places of exporters")
struct ExportPlaceTests {
    @Test("the place waits for the first gap to close")
    func gap() {
        var place = ExportPlace(7)
        for entry in Int64(8)...10 { place.begin(entry, partCount: 1) }
        place.finishPart(of: 9)
        place.finishPart(of: 10)
        #expect(place.number == 7)
        place.finishPart(of: 8)
        #expect(place.number == 10)
        #expect(place.pendingCount == 0)
    }

    @Test("an entry with nothing to send is passed at once, behind those before it")
    func nothingToSend() {
        var place = ExportPlace(0)
        place.begin(3, partCount: 0)
        #expect(place.number == 3)
        place.begin(4, partCount: 1)
        place.begin(9, partCount: 0)
        #expect(place.number == 3)
        place.finishPart(of: 4)
        #expect(place.number == 9)
    }

    @Test("all parts of an entry have to be done")
    func parts() {
        var place = ExportPlace(0)
        place.begin(1, partCount: 3)
        place.finishPart(of: 1)
        place.finishPart(of: 1)
        #expect(place.number == 0)
        place.finishPart(of: 1)
        #expect(place.number == 1)
    }

    @Test("in any order it is the end of what is done without a gap", arguments: UInt64(0)..<50)
    func anyOrder(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var place = ExportPlace(0)
        var open: [Int64: Int] = [:]
        var next: Int64 = 0
        for _ in 0..<500 {
            if open.isEmpty || Bool.random(using: &numbers) {
                next += Int64.random(in: 1...3, using: &numbers)
                let count = Int.random(in: 0...3, using: &numbers)
                place.begin(next, partCount: count)
                if count > 0 { open[next] = count }
            } else if let entry = open.keys.sorted().randomElement(using: &numbers) {
                place.finishPart(of: entry)
                open[entry] = open[entry] == 1 ? nil : open[entry].map { $0 - 1 }
            }
            if let first = open.keys.min() { #expect(place.number < first) }
            if open.isEmpty { #expect(place.number == next) }
            #expect(place.pendingCount >= open.count)
        }
        for (entry, count) in open { for _ in 0..<count { place.finishPart(of: entry) } }
        #expect(place.number == next)
    }
}
