import TestSupport
import Testing

@testable import SymbolIndexes

@Suite struct StagedBytesTests {
    @Test("calls are read as they were written", arguments: UInt64(0)..<50)
    func calls(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let calls = (0..<40).map { _ in
            StagedCall(
                distance: number(&numbers), name: number(&numbers), file: number(&numbers),
                line: number(&numbers), column: number(&numbers) & IndexLimits.callColumn)
        }
        var bytes = [UInt8](repeating: 0, count: calls.count * MutableSpan<UInt8>.callSize)
        var end = 0
        var span = bytes.mutableSpan
        for call in calls { unsafe span.put(call, at: &end) }
        var place = 0
        for call in calls {
            let read = unsafe bytes.span.call(at: &place)
            #expect(
                [read.distance, read.name, read.file, read.line, read.column]
                    == [call.distance, call.name, call.file, call.line, call.column])
        }
        #expect(place == end)
    }

    @Test("entries are read as they were written", arguments: UInt64(0)..<50)
    func entries(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var start: UInt64 = 0
        let entries = (0..<40).map { _ in
            start &+= UInt64(number(&numbers))
            return StagedEntry(
                start: start, scope: number(&numbers), file: number(&numbers),
                line: number(&numbers), column: number(&numbers))
        }
        var bytes = [UInt8](repeating: 0, count: entries.count * MutableSpan<UInt8>.entrySize)
        var end = 0
        var last = StagedEntry(start: 0, scope: 0, file: 0, line: 0, column: 0)
        var span = bytes.mutableSpan
        for entry in entries {
            unsafe span.put(entry, after: last, saysFile: entry.file != last.file, at: &end)
            last = entry
        }
        var place = 0
        var read = StagedEntry(start: 0, scope: 0, file: 0, line: 0, column: 0)
        for entry in entries {
            unsafe bytes.span.advance(&read, at: &place)
            #expect(read.start == entry.start && read.hasSameSource(as: entry))
        }
        #expect(place == end)
    }

    @Test("a part that is longer than a chunk has its own chunk")
    func longPart() {
        var staged = StagedBytes()
        let bytes = [UInt8](repeating: 7, count: 3 << 20)
        var parts = [StagedPart(), StagedPart(), StagedPart()]
        staged.append(bytes, count: 5, as: &parts[0])
        staged.append(bytes, count: bytes.count, as: &parts[1])
        staged.append(bytes, count: 5, as: &parts[2])
        #expect(parts.map(\.chunk) == [0, 1, 2])
        #expect(staged.chunks.map(\.count) == [5, 3 << 20, 5])
    }

    /// A number of any size, often a small one.
    private func number(_ numbers: inout SplitMix64) -> UInt32 {
        UInt32.random(in: 0 ... .max, using: &numbers)
            >> UInt32.random(in: 0...31, using: &numbers)
    }
}
