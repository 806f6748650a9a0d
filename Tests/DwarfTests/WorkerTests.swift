import ByteReading
import CallStacks
import TestSupport
import Testing

@testable import Dwarf

/// Several workers on one file, whose number must not affect the result.
@Suite("Reading by several workers")
struct WorkerTests {
    /// Forty units of one function each, some of them damaged in one way or another.
    private static func builder(damaging isDamaged: (Int) -> Bool) -> DieBuilder {
        var builder = DieBuilder()
        for number in 0..<40 {
            let start = UInt64(0x1000 + number * 0x40)
            var children = [
                Die.function(
                    "f\(number)",
                    [.linkageName("_f\(number % 7)")] + DieAttribute.code(start..<start + 0x20),
                    label: "f\(number)",
                    [
                        .inlined(
                            "f\(number)",
                            DieAttribute.code(start..<start + 8)
                                + DieAttribute.call(file: 1, line: 3, column: 1))
                    ])
            ]
            if isDamaged(number) {
                children.append(
                    Die.function(
                        nil,
                        [DieAttribute(0x31, 0x10, little(UInt32(3)))]
                            + DieAttribute.code(start + 0x20..<start + 0x30)))
                children.append(
                    Die(0x2e, [DieAttribute(0x55, 0x17, little(UInt32(0xffff)))]))
            }
            builder.add(.unit([.lines(at: 0)], children))
        }
        return builder
    }

    private static func sections(damaging isDamaged: (Int) -> Bool) -> DwarfSections {
        var lines = LineAssembler()
        lines.sequence(0x1000..<0x1a00, line: 4)
        return builder(damaging: isDamaged).sections([.line: lines.bytes])
    }

    /// The records in the sinks of all workers, in a fixed order.
    private func read(
        _ sections: DwarfSections, workers: Int
    ) async throws -> (lines: [String], summary: DwarfSummary, sinkCount: Int) {
        var reader = DwarfReader(sections: sections, layout: testLayout, architecture: .arm64)
        reader.runBytes = 1
        let result = try await reader.read(workers: workers) { RecordList() }
        let lines = result.sinks.flatMap { sink in
            sink.functions.map { function in
                "\(function.order) \(sink.name(function.name)) \(sink.calls(of: function))"
                    + " \(sink.text(function.rows))"
            } + sink.looseRows.map { "\(sink.text($0))" }
        }
        return (lines.sorted(), result.summary, result.sinks.count)
    }

    @Test("any number of workers finds the same records", arguments: [2, 3, 8, 100])
    func sameForAll(workers: Int) async throws {
        let sections = Self.sections { _ in false }
        let alone = try await read(sections, workers: 1)
        let together = try await read(sections, workers: workers)
        #expect(alone.sinkCount == 1 && together.sinkCount == min(workers, 40))
        #expect(alone.lines.count >= 40 && together.lines == alone.lines)
        #expect(together.summary == alone.summary && alone.summary.unitsRead == 40)
    }

    @Test("damaged units fail alike, in the order of the file", arguments: [2, 3, 8])
    func failures(workers: Int) async throws {
        let sections = Self.sections { $0 % 3 == 1 }
        let alone = try await read(sections, workers: 1)
        let together = try await read(sections, workers: workers)
        #expect(alone.summary.unitsFailed == 13)
        #expect(together.lines == alone.lines && together.summary == alone.summary)
        let units = together.summary.failures.compactMap(\.unit)
        #expect(units == units.sorted() && units.count == 13)
    }

    @Test("excessive work is rejected at the same position")
    func exhaustion() async throws {
        var lines = LineAssembler()
        lines.extended(0x80, [UInt8](repeating: 0, count: 100_000))
        lines.sequence(0x1000..<0x1004, line: 2)
        var builder = DieBuilder()
        for _ in 0..<400 { builder.add(.unit([.lines(at: 0)], [])) }
        let sections = builder.sections([.line: lines.bytes])
        let alone = try await read(sections, workers: 1)
        let together = try await read(sections, workers: 4)
        #expect(alone.summary.warnings == [.workBudget])
        #expect(together.summary == alone.summary && together.lines == alone.lines)
    }

    @Test("each unit is distributed once, adjacent ones together")
    func queue() throws {
        let scan = try UnitScan(Self.sections { _ in false }.bytes(.info), bigEndian: false)
        let size = try #require(scan.units.first?.size)
        let queue = UnitQueue(scan.units, runBytes: 3 * size)
        var handed: [Int] = []
        while let run = queue.nextRun() { handed += run }
        #expect(handed == Array(scan.units.indices))
        #expect((10...14).contains(queue.runCount))
        #expect(queue.nextRun() == nil)
        #expect(UnitQueue([], runBytes: 1).nextRun() == nil)
        let stopped = UnitQueue(scan.units, runBytes: 1)
        stopped.stop()
        #expect(stopped.nextRun() == nil)
    }

    @Test("a pool provides what is left, and after a failed request nothing")
    func pool() throws {
        let pool = WorkPool(size: WorkPool.least, times: 1)
        #expect(pool.take(atLeast: 10, wanted: 100) == 100)
        #expect(
            pool.take(atLeast: 10, wanted: WorkPool.least) == WorkPool.least - 100)
        #expect(pool.take(atLeast: 1, wanted: 1) == nil)
        let budget = WorkBudget(from: WorkPool(size: 0))
        try budget.spend(WorkPool.least)
        #expect(throws: DwarfError.self) { try budget.spend(1) }
    }
}

@Suite("Tables by offset")
struct OffsetTableTests {
    @Test("has the same contents as a dictionary", arguments: UInt64(0)..<20)
    func dictionary(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var table = OffsetTable(empty: UInt32(0))
        for _ in 0..<4 {
            var expected: [UInt64: UInt32] = [:]
            let range = UInt64(1) << UInt64.random(in: 1...32, using: &numbers)
            for _ in 0..<Int.random(in: 0...2_000, using: &numbers) {
                let offset = UInt64.random(in: 0..<range, using: &numbers) % UInt64(UInt32.max)
                let value = UInt32.random(in: 0 ... .max, using: &numbers)
                table.insert(value, at: offset)
                expected[offset] = value
            }
            for (offset, value) in expected { #expect(table[offset] == value) }
            for offset in 0..<UInt64(200) { #expect(table[offset] == expected[offset]) }
            table.removeAll()
            #expect(expected.keys.allSatisfy { table[$0] == nil })
        }
    }

    @Test("offsets that need more than 32 bits are not kept", arguments: [0, 1, UInt64.max >> 33])
    func extremes(distance: UInt64) {
        let limit = UInt64(UInt32.max)
        var table = OffsetTable(empty: 0)
        table.insert(1, at: limit - 1)
        table.insert(2, at: limit + distance)
        #expect(table[limit - 1] == 1 && table[limit + distance] == nil && table[0] == nil)
    }
}
