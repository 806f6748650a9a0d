import Testing

@testable import Ingest

/// The worker's results in memory.
@Suite struct ResultBufferTests {
    @Test func keepsResultsUntilAllExportersHaveReadThem() {
        let buffer = ResultBuffer(after: 0, exporters: ["first", "second"], bytesLimit: 100)
        buffer.publish([entry(1), entry(2), entry(3)], upTo: 3)
        #expect(numbers(buffer.read(after: 0, bytes: .max, for: "first")) == [1, 2, 3])
        #expect(numbers(buffer.read(after: 3, bytes: .max, for: "first")) == [])
        #expect(numbers(buffer.read(after: 0, bytes: .max, for: "second")) == [1, 2, 3])
        #expect(numbers(buffer.read(after: 2, bytes: .max, for: "second")) == [3])
        #expect(numbers(buffer.read(after: 1, bytes: .max, for: "second")) == nil)
        buffer.publish([entry(4)], upTo: 4)
        #expect(numbers(buffer.read(after: 2, bytes: .max, for: "second")) == [3, 4])
        #expect(numbers(buffer.read(after: 3, bytes: .max, for: "first")) == [4])
    }

    @Test func dropsTheOldestResultsBeyondTheLimit() {
        let buffer = ResultBuffer(after: 0, exporters: ["first", "second"], bytesLimit: 100)
        buffer.publish((1...12).map { entry($0) }, upTo: 12)
        #expect(numbers(buffer.read(after: 0, bytes: .max, for: "first")) == nil)
        #expect(numbers(buffer.read(after: 2, bytes: .max, for: "first")) == Array(3...12))
        #expect(numbers(buffer.read(after: 2, bytes: 25, for: "second")) == [3, 4, 5])
    }

    /// An entry whose results have ten bytes.
    private func entry(_ number: Int64) -> ExportableEntry {
        let batch = ExportBatch(
            signal: .logs, body: [UInt8](repeating: 0, count: 10), recordCount: 1)
        return ExportableEntry(number: number, batches: [batch])
    }

    /// Returns the numbers of the entries, or `nil` if some of them have been dropped.
    private func numbers(_ reading: ResultBuffer.Reading) -> [Int64]? {
        switch reading {
        case .results(let entries): entries.map(\.number)
        case .dropped: nil
        }
    }
}
