import TestSupport

@testable import Ingest

/// Drives the delivery of batches against a receiver, in simulated time.
///
/// A request takes a second, so that requests in flight overlap.
final class SimulatedReceiver {
    private var delivery: ExportDelivery
    private(set) var now = Duration.zero
    /// The bodies that were taken, one after the other.
    private(set) var taken: [UInt8] = []
    private(set) var deadLettered: [DeadLetterDraft] = []
    private(set) var sendCount = 0
    /// The number of divisions of entries.
    private(set) var divisionCount = 0
    private(set) var doneEntries: [Int64] = []
    private var answers: [(time: Duration, id: Int, batch: ExportBatch)] = []
    private var timers: [Duration] = []
    private var isCrowded = false

    init(
        _ batches: [CoalescedBatch], bytesLimit: Int = 1_000,
        settings: ExportLoopSettings = ExportLoopSettings()
    ) {
        delivery = ExportDelivery(batchBytesLimit: bytesLimit, settings: settings)
        delivery.add(batches)
    }

    var isIdle: Bool { delivery.isIdle }
    var recoveryCount: Int { delivery.recoveryCount }

    func add(_ batches: [CoalescedBatch]) { delivery.add(batches) }

    /// Runs until no requests are in flight and no batches wait, or until a time.
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
        if case .accepted = outcome { taken += batch.body }
        note(delivery.take(outcome, of: id, now: now, random: 1))
    }

    private func note(_ progress: ExportDelivery.Progress?) {
        switch progress {
        case .finished(let batch): doneEntries += batch.parts.map(\.entry)
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
                case .deadLetter(let id, let draft):
                    deadLettered.append(draft)
                    ids.append(id)
                case .wait(let time): timers.append(time)
                }
            }
            for id in ids { note(delivery.deadLettered(id)) }
            steps = ids.isEmpty ? [] : delivery.nextSteps(now: now, isCrowded: isCrowded)
        }
    }
}
