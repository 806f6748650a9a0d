import TestSupport

@testable import Ingest

/// Drives the delivery of parcels against a receiver, in a time of its own.
///
/// A request takes a second, so that those that are under way overlap.
final class SimulatedReceiver {
    private var delivery: ExportDelivery
    private(set) var now = Duration.zero
    /// The bodies that were taken, one after the other.
    private(set) var taken: [UInt8] = []
    private(set) var buried: [ExportRefusal] = []
    private(set) var sendCount = 0
    /// How often entries were divided.
    private(set) var divisionCount = 0
    private(set) var doneEntries: [Int64] = []
    private var answers: [(time: Duration, id: Int, batch: ExportBatch)] = []
    private var timers: [Duration] = []
    private var isCrowded = false

    init(
        _ parcels: [ExportParcel], bytesLimit: Int = 1_000,
        settings: ExportLoopSettings = ExportLoopSettings()
    ) {
        delivery = ExportDelivery(batchBytesLimit: bytesLimit, settings: settings)
        delivery.add(parcels)
    }

    var isIdle: Bool { delivery.isIdle }
    var recoveryCount: Int { delivery.recoveryCount }

    func add(_ parcels: [ExportParcel]) { delivery.add(parcels) }

    /// Goes on until nothing is under way and nothing waits, or until a moment.
    func run(
        until end: Duration, answer: (ExportBatch, Duration) -> ExportOutcome
    ) {
        step()
        while let next = (answers.map(\.time) + timers).min(), next <= end {
            now = next
            timers.filter { $0 == next }.forEach { delivery.waited(until: $0) }
            timers.removeAll { $0 == next }
            let due = answers.filter { $0.time == next }
            answers.removeAll { $0.time == next }
            for (_, id, batch) in due { note(answer(batch, now), id, batch) }
            step()
        }
        now = max(now, end)
    }

    private func note(_ outcome: ExportOutcome, _ id: Int, _ batch: ExportBatch) {
        if case .taken = outcome { taken += batch.body }
        note(delivery.take(outcome, of: id, now: now, random: 1))
    }

    private func note(_ progress: ExportDelivery.Progress?) {
        switch progress {
        case .done(let parcel): doneEntries += parcel.parts.map(\.entry)
        case .divided: divisionCount += 1
        case nil: break
        }
    }

    private func step() {
        var steps = delivery.nextSteps(now: now, isCrowded: isCrowded)
        while !steps.isEmpty {
            var ids: [Int] = []
            for step in steps {
                switch step {
                case .send(let id, let batch):
                    sendCount += 1
                    answers.append((now + .seconds(1), id, batch))
                case .bury(let id, let refusal):
                    buried.append(refusal)
                    ids.append(id)
                case .wait(let time): timers.append(time)
                }
            }
            for id in ids { note(delivery.buried(id)) }
            steps = ids.isEmpty ? [] : delivery.nextSteps(now: now, isCrowded: isCrowded)
        }
    }
}
