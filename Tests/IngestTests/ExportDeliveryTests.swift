import OTLP
import TestSupport
import Testing

@testable import Ingest

@Suite("Delivery to one exporter")
struct ExportDeliveryTests {
    private static let taken = ExportOutcome.taken(rejectedCount: 0, message: "")
    private static let hour = Duration.seconds(3_600)

    private static func refusing(
        _ bad: Set<UInt8>, _ reason: String = "400", isForContent: Bool = true
    ) -> (ExportBatch, Duration) -> ExportOutcome {
        { batch, _ in
            bad.isDisjoint(with: batch.body)
                ? taken : .refused(reason: reason, isForContent: isForContent)
        }
    }

    /// A parcel of one record for each of these entries.
    private static func parcels(_ count: Int64, of size: Int64) -> [ExportParcel] {
        (0..<count).map { parcel($0 * size + 1...($0 + 1) * size) }
    }

    @Test("a batch that is taken is sent once")
    func taken() {
        let run = SimulatedReceiver([parcel(1...100)])
        run.run(until: Self.hour, answer: Self.refusing([]))
        #expect(run.sendCount == 1)
        #expect(run.taken == Array(1...100))
        #expect(run.isIdle)
    }

    @Test("one bad entry among many is found with few attempts and is a dead letter alone")
    func oneBad() {
        for bad in UInt8(1)...64 {
            let run = SimulatedReceiver([parcel(1...64)])
            run.run(until: Self.hour, answer: Self.refusing([bad]))
            #expect(run.buried.map(\.batch.body) == [[bad]])
            #expect(run.taken.sorted() == (1...64).filter { $0 != bad })
            #expect(run.sendCount <= 16)
            #expect(run.isIdle)
        }
    }

    @Test(
        "any bad entries among good ones are dead letters and no others",
        arguments: UInt64(0)..<50)
    func anyBad(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let all = Set((1...200).map(UInt8.init))
        let bad = Set(all.filter { _ in numbers.next() % 9 == 0 })
        var settings = ExportLoopSettings()
        settings.inFlightLimit = Int.random(in: 1...4, using: &numbers)
        let isForContent = seed.isMultiple(of: 2)
        let run = SimulatedReceiver(Self.parcels(10, of: 20), settings: settings)
        run.run(
            until: Self.hour, answer: Self.refusing(bad, "no", isForContent: isForContent))
        // A good one at the end, so that the last bad ones have something beside them.
        for entry in Int64(201)...230 {
            run.add([parcel(entry...entry)])
            run.run(
                until: run.now + Self.hour,
                answer: Self.refusing(bad, "no", isForContent: isForContent))
        }
        #expect(Set(run.buried.flatMap(\.batch.body)) == bad)
        #expect(run.buried.count == bad.count)
        #expect(Set(run.taken).intersection(all) == all.subtracting(bad))
        #expect(Set(run.doneEntries) == Set(1...230))
        #expect(run.isIdle)
    }

    @Test(
        "what is refused to everything is an outage, whatever the status",
        arguments: [true, false])
    func outage(isForContent: Bool) {
        let run = SimulatedReceiver(Self.parcels(40, of: 5))
        run.run(until: Self.hour * 24) { _, _ in
            .refused(reason: "500", isForContent: isForContent)
        }
        #expect(run.buried.isEmpty)
        #expect(run.taken.isEmpty)
        // Some at once, and then one in each longest wait.
        #expect(run.sendCount < 24 * 120 + 120)
        run.run(until: Self.hour * 25) { _, _ in Self.taken }
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
        #expect(run.buried.isEmpty)
        #expect(run.isIdle)
        #expect(run.recoveryCount == 1)
    }

    @Test("an outage that begins under way buries nothing", arguments: UInt64(0)..<30)
    func outageUnderWay(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let start = Duration.milliseconds(Int.random(in: 0...20_000, using: &numbers))
        let end = start + .seconds(Int.random(in: 1...600, using: &numbers))
        let run = SimulatedReceiver(Self.parcels(50, of: 4))
        run.run(until: Self.hour) { _, now in
            (start..<end).contains(now) ? .refused(reason: "401", isForContent: false) : Self.taken
        }
        #expect(run.buried.isEmpty)
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
        #expect(run.isIdle)
    }

    @Test("a bad record alone is kept, is not tried often, and holds back nothing that comes later")
    func aloneAndBad() {
        let run = SimulatedReceiver([parcel(1...1)])
        run.run(until: Self.hour, answer: Self.refusing([1]))
        #expect(run.buried.isEmpty)
        #expect(run.sendCount < 150)
        run.add([parcel(2...2)])
        run.run(until: Self.hour + .seconds(2), answer: Self.refusing([1]))
        #expect(run.taken == [2])
        run.run(until: Self.hour * 2, answer: Self.refusing([1]))
        #expect(run.buried.map(\.batch.body) == [[1]])
    }

    @Test("one request at a time holds back nothing behind a bad record either")
    func aloneInOrder() {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = 1
        let run = SimulatedReceiver(Self.parcels(3, of: 1), settings: settings)
        run.run(until: .seconds(60), answer: Self.refusing([1], isForContent: false))
        #expect(run.taken == [2, 3])
        #expect(run.buried.map(\.batch.body) == [[1]])
    }

    @Test("what fails for now is tried until it is taken, in order where one goes at a time")
    func transient() {
        var settings = ExportLoopSettings()
        settings.inFlightLimit = 1
        let run = SimulatedReceiver(Self.parcels(20, of: 1), settings: settings)
        run.run(until: Self.hour * 5) { _, now in
            now < Self.hour ? .retry(reason: "503", after: nil) : Self.taken
        }
        #expect(run.taken == Array(1...20))
        #expect(run.buried.isEmpty)
    }

    @Test("overload at random buries nothing", arguments: UInt64(0)..<20)
    func overload(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let run = SimulatedReceiver(Self.parcels(50, of: 4))
        run.run(until: Self.hour * 48) { _, _ in
            numbers.next() % 10 < 9 ? .retry(reason: "429", after: nil) : Self.taken
        }
        #expect(run.buried.isEmpty)
        #expect(Set(run.taken) == Set((1...200).map(UInt8.init)))
    }

    @Test("a record at which the receiver always fails for now is found among others")
    func poison() {
        let run = SimulatedReceiver([parcel(1...10)])
        var entry: Int64 = 10
        while run.buried.isEmpty, entry < 5_000 {
            entry += 1
            run.add([parcel(entry % 100 + 20...entry % 100 + 20)])
            run.run(until: run.now + .seconds(5)) { batch, _ in
                batch.body.contains(7) ? .retry(reason: "502", after: nil) : Self.taken
            }
        }
        #expect(run.buried.map(\.batch.body) == [[7]])
    }

    @Test("a receiver that asks for time gets it")
    func asked() {
        let run = SimulatedReceiver(Self.parcels(5, of: 1))
        var times: [Duration] = []
        run.run(until: .seconds(500)) { _, now in
            times.append(now)
            return now < .seconds(200) ? .retry(reason: "429", after: 100) : Self.taken
        }
        #expect(!times.contains { $0 > .seconds(2) && $0 < .seconds(101) })
        #expect(Set(run.taken) == [1, 2, 3, 4, 5])
    }

    @Test("it is never waited for longer than allowed", arguments: [1e18, -4, .infinity])
    func absurdWaits(seconds: Double) {
        let run = SimulatedReceiver(Self.parcels(1, of: 1))
        run.run(until: .seconds(310)) { _, now in
            now < .seconds(2) ? .retry(reason: "429", after: seconds) : Self.taken
        }
        #expect(run.taken == [1])
    }

    @Test("behind a limit it is a dead letter with its last reason, outage or not")
    func maxElapsed() {
        var settings = ExportLoopSettings()
        settings.retry.maxElapsed = .seconds(60)
        let run = SimulatedReceiver(Self.parcels(3, of: 2), settings: settings)
        run.run(until: Self.hour) { _, _ in .refused(reason: "500", isForContent: false) }
        #expect(Set(run.buried.flatMap(\.batch.body)) == [1, 2, 3, 4, 5, 6])
        #expect(run.buried.allSatisfy { $0.reason == "gave up after 60 s: 500" })
        #expect(run.isIdle)
        run.add([parcel(9...9)])
        run.run(until: Self.hour * 2, answer: Self.refusing([]))
        #expect(run.recoveryCount == 1, "so that what was given up is sent again")
    }

    @Test("a batch that is taken in part is a dead letter with the number of what was rejected")
    func partialSuccess() {
        let run = SimulatedReceiver([parcel(1...10)])
        run.run(until: Self.hour) { _, _ in .taken(rejectedCount: 3, message: "too old") }
        #expect(run.sendCount == 1)
        #expect(run.buried.map(\.rejectedPart) == [3])
        #expect(run.buried.map(\.reason) == ["3 of 10 rejected: too old"])
        #expect(run.isIdle)
    }

    @Test("a batch of which all is rejected is a dead letter like one that is refused")
    func wholeRejection() {
        let run = SimulatedReceiver([parcel(1...10)])
        run.run(until: Self.hour) { _, _ in .taken(rejectedCount: 10, message: "") }
        #expect(run.buried.map(\.rejectedPart) == [nil])
        #expect(run.buried.map(\.reason) == ["10 of 10 rejected"])
    }

    @Test("a signal that is refused while others are taken gives way at last")
    func unsupportedSignal() {
        let run = SimulatedReceiver([], bytesLimit: 4)
        let metrics = (1...200).map { ExportParcel(batch(.metrics, entry: $0), entry: $0) }
        let logs = (201...250).map { ExportParcel(batch(.logs, entry: $0), entry: $0) }
        for (number, parcel) in metrics.enumerated() {
            run.add([parcel] + (number % 4 == 0 ? [logs[number / 4]] : []))
            run.run(until: run.now + .seconds(1)) { batch, _ in
                batch.signal == .metrics
                    ? .refused(reason: "404", isForContent: false) : Self.taken
            }
        }
        #expect(Set(run.taken) == Set((201...250).map(UInt8.init)))
        #expect(run.buried.count > 100)
        #expect(run.buried.allSatisfy { $0.batch.signal == .metrics })
        #expect(
            run.buried.first?.reason == "404: no metrics are taken, but other signals are")
    }

    @Test("the records of one entry are told apart as well")
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
        let run = SimulatedReceiver([ExportParcel(whole, entry: 1)], bytesLimit: 1 << 20)
        var taken: [String] = []
        run.run(until: Self.hour) { batch, _ in
            if names(batch).contains("record 42") {
                return .refused(reason: "422", isForContent: true)
            }
            taken += names(batch)
            return Self.taken
        }
        #expect(run.buried.map { names($0.batch) } == [["record 42"]])
        #expect(Set(taken).count == 99)
        // Once more than it was divided, because each division leaves one part more.
        #expect(run.doneEntries.count == run.divisionCount + 1)
    }
}
