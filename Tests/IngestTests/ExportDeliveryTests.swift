import OTLP
import TestSupport
import Testing

@testable import Ingest

@Suite("Delivery to one exporter")
struct ExportDeliveryTests {
    private static let taken = ExportOutcome.accepted(rejectedCount: 0, message: "")
    private static let hour = Duration.seconds(3_600)

    private static func refusing(
        _ bad: Set<UInt8>, _ reason: String = "400", isForContent: Bool = true
    ) -> (ExportBatch, Duration) -> ExportOutcome {
        { batch, _ in
            bad.isDisjoint(with: batch.body)
                ? taken : .refused(reason: reason, isForContent: isForContent)
        }
    }

    /// Returns a batch with one record for each of these entries.
    private static func batches(_ count: Int64, of size: Int64) -> [CoalescedBatch] {
        (0..<count).map { coalesced($0 * size + 1...($0 + 1) * size) }
    }

    @Test("an accepted batch is sent once")
    func taken() {
        let run = SimulatedReceiver([coalesced(1...100)])
        run.run(until: Self.hour, answer: Self.refusing([]))
        #expect(run.sendCount == 1)
        #expect(run.taken == Array(1...100))
        #expect(run.isIdle)
    }

    @Test("one bad entry among many is found with few attempts and becomes the only dead letter")
    func oneBad() {
        for bad in UInt8(1)...64 {
            let run = SimulatedReceiver([coalesced(1...64)])
            run.run(until: Self.hour, answer: Self.refusing([bad]))
            #expect(run.deadLettered.map(\.batch.body) == [[bad]])
            #expect(run.taken.sorted() == (1...64).filter { $0 != bad })
            #expect(run.sendCount <= 16)
            #expect(run.isIdle)
        }
    }

    @Test(
        "all bad entries among good ones become dead letters, and no others",
        arguments: UInt64(0)..<50)
    func anyBad(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let all = Set((1...200).map(UInt8.init))
        let bad = Set(all.filter { _ in numbers.next() % 9 == 0 })
        var settings = ExportLoopSettings()
        settings.inFlightLimit = Int.random(in: 1...4, using: &numbers)
        let isForContent = seed.isMultiple(of: 2)
        let run = SimulatedReceiver(Self.batches(10, of: 20), settings: settings)
        run.run(
            until: Self.hour, answer: Self.refusing(bad, "no", isForContent: isForContent))
        // A good batch at the end, so that the last bad ones are sent together with others.
        for entry in Int64(201)...230 {
            run.add([coalesced(entry...entry)])
            run.run(
                until: run.now + Self.hour,
                answer: Self.refusing(bad, "no", isForContent: isForContent))
        }
        #expect(Set(run.deadLettered.flatMap(\.batch.body)) == bad)
        #expect(run.deadLettered.count == bad.count)
        #expect(Set(run.taken).intersection(all) == all.subtracting(bad))
        #expect(Set(run.doneEntries) == Set(1...230))
        #expect(run.isIdle)
    }

    @Test(
        "a receiver that refuses everything is an outage, whatever the status",
        arguments: [true, false])
    func outage(isForContent: Bool) {
        let run = SimulatedReceiver(Self.batches(40, of: 5))
        run.run(until: Self.hour * 24) { _, _ in
            .refused(reason: "500", isForContent: isForContent)
        }
        #expect(run.deadLettered.isEmpty)
        #expect(run.taken.isEmpty)
        // Some at once, and then one in each longest wait.
        #expect(run.sendCount < 24 * 120 + 120)
        run.run(until: Self.hour * 25) { _, _ in Self.taken }
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
        #expect(run.deadLettered.isEmpty)
        #expect(run.isIdle)
        #expect(run.recoveryCount == 1)
    }

    @Test("an outage that starts during delivery causes no dead letters", arguments: UInt64(0)..<30)
    func outageUnderWay(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let start = Duration.milliseconds(Int.random(in: 0...20_000, using: &numbers))
        let end = start + .seconds(Int.random(in: 1...600, using: &numbers))
        let run = SimulatedReceiver(Self.batches(50, of: 4))
        run.run(until: Self.hour) { _, now in
            (start..<end).contains(now) ? .refused(reason: "401", isForContent: false) : Self.taken
        }
        #expect(run.deadLettered.isEmpty)
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
        #expect(run.isIdle)
    }

    @Test("a single bad record is kept, is retried rarely, and delays no later one")
    func aloneAndBad() {
        let run = SimulatedReceiver([coalesced(1...1)])
        run.run(until: Self.hour, answer: Self.refusing([1]))
        #expect(run.deadLettered.isEmpty)
        #expect(run.sendCount < 150)
        run.add([coalesced(2...2)])
        run.run(until: Self.hour + .seconds(2), answer: Self.refusing([1]))
        #expect(run.taken == [2])
        run.run(until: Self.hour * 2, answer: Self.refusing([1]))
        #expect(run.deadLettered.map(\.batch.body) == [[1]])
    }

    @Test("a bad record delays no other with one request at a time either")
    func aloneInOrder() {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = 1
        let run = SimulatedReceiver(Self.batches(3, of: 1), settings: settings)
        run.run(until: .seconds(60), answer: Self.refusing([1], isForContent: false))
        #expect(run.taken == [2, 3])
        #expect(run.deadLettered.map(\.batch.body) == [[1]])
    }

    @Test("transient failures are retried until accepted, in order with one request at a time")
    func transient() {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = 1
        let run = SimulatedReceiver(Self.batches(20, of: 1), settings: settings)
        run.run(until: Self.hour * 5) { _, now in
            now < Self.hour ? .retry(reason: "503", after: nil) : Self.taken
        }
        #expect(run.taken == Array(1...20))
        #expect(run.deadLettered.isEmpty)
    }

    @Test("random overload causes no dead letters", arguments: UInt64(0)..<20)
    func overload(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let run = SimulatedReceiver(Self.batches(50, of: 4))
        run.run(until: Self.hour * 48) { _, _ in
            numbers.next() % 10 < 9 ? .retry(reason: "429", after: nil) : Self.taken
        }
        #expect(run.deadLettered.isEmpty)
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
    }

    @Test("a record that always fails transiently is found among others")
    func poison() {
        let run = SimulatedReceiver([coalesced(1...10)])
        var entry: Int64 = 10
        while run.deadLettered.isEmpty, entry < 5_000 {
            entry += 1
            run.add([coalesced(entry % 100 + 20...entry % 100 + 20)])
            run.run(until: run.now + .seconds(5)) { batch, _ in
                batch.body.contains(7) ? .retry(reason: "502", after: nil) : Self.taken
            }
        }
        #expect(run.deadLettered.map(\.batch.body) == [[7]])
    }

    @Test("a receiver that is too slow for a batch gets it in parts", arguments: [1, 4])
    func slowReceiver(inFlightLimit: Int) {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = inFlightLimit
        let run = SimulatedReceiver(Self.batches(5, of: 40), settings: settings)
        run.run(until: Self.hour) { batch, _ in
            batch.recordCount > 3 ? .timedOut(reason: "slow") : Self.taken
        }
        #expect(run.taken.sorted() == Array(1...200))
        #expect(run.deadLettered.isEmpty)
        #expect(run.isIdle)
        // 15 parts of each batch are too large. Only the whole batch is sent twice.
        #expect(run.sendCount <= 5 * (1 + 15 + 16))
    }

    @Test("a half of a refused batch is divided after two timeouts of its own")
    func refusedAfterTimeout() {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = 1
        let run = SimulatedReceiver(Self.batches(1, of: 8), settings: settings)
        var sizes: [Int] = []
        run.run(until: Self.hour) { batch, _ in
            sizes.append(batch.recordCount)
            switch sizes.count {
            case 1, 3: return .timedOut(reason: "slow")
            case 2: return .refused(reason: "400", isForContent: true, after: nil)
            default: return Self.taken
            }
        }
        #expect(sizes == [8, 8, 4, 4, 4])
        #expect(run.taken.sorted() == Array(1...8))
    }

    @Test("an outage in which all requests time out causes few of them")
    func silentOutage() {
        let run = SimulatedReceiver(Self.batches(40, of: 5))
        run.run(until: Self.hour * 24) { _, _ in .timedOut(reason: "silent") }
        #expect(run.taken.isEmpty)
        #expect(run.sendCount < 24 * 120 + 400)
        run.run(until: Self.hour * 25) { _, _ in Self.taken }
        #expect(run.taken.sorted() == Array(1...200))
        #expect(run.deadLettered.isEmpty)
        #expect(run.isIdle)
    }

    @Test("a pause that the receiver requests is honoured")
    func requestedWait() {
        let run = SimulatedReceiver(Self.batches(5, of: 1))
        var times: [Duration] = []
        run.run(until: .seconds(500)) { _, now in
            times.append(now)
            return now < .seconds(200) ? .retry(reason: "429", after: 100) : Self.taken
        }
        #expect(!times.contains { $0 > .seconds(2) && $0 < .seconds(101) })
        #expect(Set(run.taken) == [1, 2, 3, 4, 5])
    }

    @Test("a pause is limited", arguments: [1e18, -4, .infinity])
    func absurdWaits(seconds: Double) {
        let run = SimulatedReceiver(Self.batches(1, of: 1))
        run.run(until: .seconds(310)) { _, now in
            now < .seconds(2) ? .retry(reason: "429", after: seconds) : Self.taken
        }
        #expect(run.taken == [1])
    }

    @Test("a batch past its time limit is a dead letter with its last reason, in an outage too")
    func maxElapsed() {
        var settings = ExportLoopSettings()
        settings.retry.maxElapsed = .seconds(60)
        let run = SimulatedReceiver(Self.batches(3, of: 2), settings: settings)
        run.run(until: Self.hour) { _, _ in .refused(reason: "500", isForContent: false) }
        #expect(Set(run.deadLettered.flatMap(\.batch.body)) == [1, 2, 3, 4, 5, 6])
        #expect(run.deadLettered.allSatisfy { $0.reason == "gave up after 60 s: 500" })
        #expect(run.isIdle)
        run.add([coalesced(9...9)])
        run.run(until: Self.hour * 2, answer: Self.refusing([]))
        #expect(run.recoveryCount == 1, "so that what was given up is sent again")
    }

    @Test("a partly accepted batch is a dead letter with the number of rejected records")
    func partialSuccess() {
        let run = SimulatedReceiver([coalesced(1...10)])
        run.run(until: Self.hour) { _, _ in .accepted(rejectedCount: 3, message: "too old") }
        #expect(run.sendCount == 1)
        #expect(run.deadLettered.map(\.partialRejectionCount) == [3])
        #expect(run.deadLettered.map(\.reason) == ["3 of 10 rejected: too old"])
        #expect(run.isIdle)
    }

    @Test("a batch with all records rejected is a dead letter like a refused one")
    func wholeRejection() {
        let run = SimulatedReceiver([coalesced(1...10)])
        run.run(until: Self.hour) { _, _ in .accepted(rejectedCount: 10, message: "") }
        #expect(run.deadLettered.map(\.partialRejectionCount) == [nil])
        #expect(run.deadLettered.map(\.reason) == ["10 of 10 rejected"])
    }

    @Test("a signal that is refused while others are accepted yields to them in the end")
    func unsupportedSignal() {
        let run = SimulatedReceiver([], bytesLimit: 4)
        let metrics = (1...200).map { CoalescedBatch(batch(.metrics, entry: $0), entry: $0) }
        let logs = (201...250).map { CoalescedBatch(batch(.logs, entry: $0), entry: $0) }
        for (number, parcel) in metrics.enumerated() {
            run.add([parcel] + (number % 4 == 0 ? [logs[number / 4]] : []))
            run.run(until: run.now + .seconds(1)) { batch, _ in
                batch.signal == .metrics
                    ? .refused(reason: "404", isForContent: false) : Self.taken
            }
        }
        #expect(Set(run.taken) == Set((201...250).map(UInt8.init)))
        #expect(run.deadLettered.count > 100)
        #expect(run.deadLettered.allSatisfy { $0.batch.signal == .metrics })
        #expect(
            run.deadLettered.first?.reason == "404: no metrics are accepted, but other signals are")
    }

    @Test("a signal that fails transiently holds up no other one", arguments: [1, 2, 4])
    func transientSignal(inFlightLimit: Int) {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = inFlightLimit
        let run = SimulatedReceiver([], bytesLimit: 4, settings: settings)
        for number in Int64(1)...50 {
            run.add([CoalescedBatch(batch(.traces, entry: number), entry: number)])
            run.add([CoalescedBatch(batch(.logs, entry: 100 + number), entry: 100 + number)])
            run.run(until: run.now + .seconds(4)) { batch, _ in
                batch.signal == .traces ? .retry(reason: "503", after: nil) : Self.taken
            }
            #expect(run.taken.last == UInt8(100 + number))
        }
        #expect(run.deadLettered.allSatisfy { $0.batch.signal == .traces })
        run.run(until: run.now + Self.hour) { _, _ in Self.taken }
        let delivered = run.taken + run.deadLettered.flatMap(\.batch.body)
        #expect(delivered.sorted() == Array(1...50) + Array(101...150))
        #expect(run.isIdle)
    }

    @Test("a signal that fails transiently for seconds is not given up, however much arrives")
    func shortTransientSignal() {
        let run = SimulatedReceiver([], bytesLimit: 4)
        for number in Int64(1)...120 {
            run.add([CoalescedBatch(batch(.traces, entry: number), entry: number)])
            run.add([CoalescedBatch(batch(.logs, entry: 120 + number), entry: 120 + number)])
        }
        run.run(until: Self.hour) { batch, now in
            batch.signal == .traces && now < .seconds(50)
                ? .retry(reason: "503", after: nil) : Self.taken
        }
        #expect(run.deadLettered.isEmpty)
        #expect(run.taken.sorted() == Array(1...240))
    }

    @Test("a bad record within one entry is found too")
    func badRecord() throws {
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [ResourceLogs()]
        request.resourceLogs[0].scopeLogs = [ScopeLogs()]
        request.resourceLogs[0].scopeLogs[0].logRecords = (0..<100).map { number in
            var record = LogRecord()
            record.body.stringValue = "record \(number)"
            return record
        }
        let body = try request.encoded(as: .protobuf)
        let whole = ExportBatch(signal: .logs, body: body, recordCount: 100)
        func names(_ batch: ExportBatch) -> [String] {
            let request = try? ExportLogsServiceRequest(decoding: batch.body, as: .protobuf)
            return request?.resourceLogs.flatMap(\.scopeLogs).flatMap(\.logRecords)
                .map(\.body.stringValue) ?? []
        }
        let run = SimulatedReceiver([CoalescedBatch(whole, entry: 1)], bytesLimit: 1 << 20)
        var taken: [String] = []
        run.run(until: Self.hour) { batch, _ in
            if names(batch).contains("record 42") {
                return .refused(reason: "422", isForContent: true)
            }
            taken += names(batch)
            return Self.taken
        }
        #expect(run.deadLettered.map { names($0.batch) } == [["record 42"]])
        #expect(Set(taken).count == 99)
        // One more than the number of divisions, because each division results in one more part.
        #expect(run.doneEntries.count == run.divisionCount + 1)
    }
}
