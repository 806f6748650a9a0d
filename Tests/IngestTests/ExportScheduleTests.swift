import TestSupport
import Testing

@testable import Ingest

@Suite("Schedule of exports")
struct ExportScheduleTests {
    /// A schedule and its actions, sorted by kind.
    private final class Bench {
        var schedule: ExportSchedule
        var sends: [ExportBatch] = []
        /// The numbers of requests under way, by their bodies.
        private var numbers: [[UInt8]: Int] = [:]
        var reads: [Int64] = []
        var kept: [Int64] = []
        var fillWaits = 0
        var silences = 0
        var flushTimes = 0

        var isFinished: Bool { schedule.isFinished }
        var cursor: Int64 { schedule.cursorNumber }

        init(bytesLimit: Int = 10, settings: (inout ExportLoopSettings) -> Void = { _ in }) {
            var chosen = ExportLoopSettings()
            settings(&chosen)
            schedule = ExportSchedule(cursor: 0, batchBytesLimit: bytesLimit, settings: chosen)
            note(schedule.start())
        }

        func take(_ event: ExportSchedule.Event) {
            note(schedule.take(event, now: .zero, random: 1))
        }

        /// Delivers one entry.
        func deliver(_ entry: Int64, byteCount: Int = 1) {
            let body = Array(repeating: UInt8(truncatingIfNeeded: entry), count: byteCount)
            guard let number = numbers[body] else {
                Issue.record("entry \(entry) was not sent")
                return
            }
            take(.finished(number, .accepted(rejectedCount: 0, message: "")))
        }

        private func note(_ actions: [ExportSchedule.Action]) {
            for action in actions {
                switch action {
                case .read(let number): reads.append(number)
                case .send(let number, let batch):
                    sends.append(batch)
                    numbers[batch.body] = number
                case .deadLetter, .wait: break
                case .startFillWait: fillWaits += 1
                case .saveCursor(let number): kept.append(number)
                case .startSilence: silences += 1
                case .startFlushTime: flushTimes += 1
                }
            }
        }
    }

    @Test("it starts by reading after its cursor")
    func begin() {
        let bench = Bench()
        #expect(bench.reads == [0])
        #expect(bench.fillWaits == 0)
    }

    @Test("a full batch is sent without a wait")
    func full() {
        let bench = Bench(bytesLimit: 3)
        bench.take(.read((1...3).map { entry($0, .logs) }))
        #expect(bench.sends.map(\.body) == [[1, 2, 3]])
        #expect(bench.fillWaits == 0)
        #expect(bench.reads == [0, 3])
    }

    @Test("an unfilled batch is sent when the fill wait is over")
    func notFull() {
        let bench = Bench()
        bench.take(.read([entry(1, .logs, .traces)]))
        #expect(bench.sends.isEmpty)
        #expect(bench.fillWaits == 1)
        bench.take(.read([entry(2, .logs)]))
        #expect(bench.fillWaits == 1)
        bench.take(.fillWaitPassed)
        #expect(Set(bench.sends.map(\.body)) == [[1, 2], [1]])
        #expect(bench.fillWaits == 1)
    }

    @Test("a batch opened during a fill wait gets its own complete fill wait")
    func secondRound() {
        let bench = Bench(bytesLimit: 2)
        bench.take(.read([entry(1, .logs)]))
        bench.take(.read([entry(2, .logs), entry(3, .logs)]))
        #expect(bench.sends.map(\.body) == [[1, 2]])
        bench.take(.fillWaitPassed)
        #expect(bench.sends.count == 1)
        #expect(bench.fillWaits == 2)
        bench.take(.fillWaitPassed)
        #expect(bench.sends.map(\.body) == [[1, 2], [3]])
    }

    @Test("the batches in flight are limited, and nothing is read while one waits")
    func inFlight() {
        let bench = Bench(bytesLimit: 1) { $0.inFlightLimit = 2 }
        bench.take(.read((1...5).map { entry($0, .logs) }))
        #expect(bench.sends.map(\.body) == [[1], [2]])
        #expect(bench.reads == [0])
        bench.deliver(2)
        bench.deliver(1)
        #expect(bench.sends.map(\.body) == [[1], [2], [3], [4]])
        #expect(bench.reads == [0])
        bench.deliver(4)
        #expect(bench.sends.count == 5)
        #expect(bench.reads == [0, 5])
    }

    @Test("entries that are larger than a batch go one by one")
    func oversized() {
        let bench = Bench(bytesLimit: 10) { $0.inFlightLimit = 4 }
        bench.take(.read((1...3).map { entry($0, .logs, byteCount: 30) }))
        #expect(bench.sends.count == 1)
        bench.deliver(1, byteCount: 30)
        #expect(bench.sends.count == 2)
        bench.deliver(2, byteCount: 30)
        #expect(bench.sends.count == 3)
    }

    @Test("the cursor moves past entries delivered without a gap, one write at a time")
    func cursors() {
        let bench = Bench(bytesLimit: 1)
        bench.take(.read((1...4).map { entry($0, .logs) }))
        bench.deliver(2)
        #expect(bench.kept.isEmpty)
        bench.deliver(1)
        #expect(bench.kept == [2])
        bench.deliver(3)
        bench.deliver(4)
        #expect(bench.kept == [2])
        bench.take(.cursorSaved)
        #expect(bench.kept == [2, 4])
        #expect(bench.cursor == 4)
    }

    @Test("entries with nothing to send are passed")
    func nothingToSend() {
        let bench = Bench()
        bench.take(.read([entry(1), entry(2)]))
        #expect(bench.kept == [2])
        #expect(bench.reads == [0, 2])
    }

    @Test("an undelivered batch stops the reading in the end")
    func entriesAhead() {
        let bench = Bench(bytesLimit: 1) { $0.entriesAheadLimit = 100 }
        bench.take(.read([entry(1, .logs)]))
        var number: Int64 = 1
        while bench.reads.last == number, number < 1_000 {
            number += 1
            bench.take(.read([entry(number, .logs)]))
            bench.deliver(number)
        }
        #expect(number == 100)
        bench.deliver(1)
        #expect(bench.cursor == 100)
        #expect(bench.reads.last == 100)
    }

    @Test("a stop sends open batches at once, and ends after a silence")
    func stop() {
        let bench = Bench()
        bench.take(.read([entry(1, .logs)]))
        bench.take(.stopRequested)
        #expect(bench.sends.map(\.body) == [[1]])
        #expect(bench.flushTimes == 1)
        bench.take(.silencePassed)
        #expect(!bench.isFinished)
        bench.take(.read([entry(2, .logs)]))
        #expect(bench.sends.map(\.body) == [[1], [2]])
        bench.deliver(1)
        bench.deliver(2)
        bench.take(.silencePassed)
        #expect(!bench.isFinished, "something came during this silence")
        bench.take(.silencePassed)
        #expect(bench.isFinished)
        #expect(bench.silences == 3)
        #expect(bench.cursor == 2)
    }

    @Test("a stop does not wait forever")
    func flushTime() {
        let bench = Bench()
        bench.take(.read([entry(1, .logs)]))
        bench.take(.stopRequested)
        bench.take(.flushTimePassed)
        #expect(bench.isFinished)
        #expect(bench.cursor == 0)
    }

    @Test("entries that were read before are not sent twice")
    func overlap() {
        let bench = Bench(bytesLimit: 1)
        bench.take(.read([entry(1, .logs), entry(2, .logs)]))
        bench.take(.read([entry(2, .logs), entry(3, .logs)]))
        #expect(bench.sends.map(\.body) == [[1], [2], [3]])
    }
}
