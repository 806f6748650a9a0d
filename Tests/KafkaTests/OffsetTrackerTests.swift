import TestSupport
import Testing

@testable import Kafka

@Suite("Offsets to commit")
struct OffsetTrackerTests {
    private let partition = TopicPartition(topic: "otlp_logs", partition: 3)

    private func tracker(_ offsets: [Int64]) -> (OffsetTracker, [MessagePosition]) {
        var tracker = OffsetTracker()
        tracker.assign([partition])
        let positions = offsets.compactMap { tracker.start($0, at: 1_000, of: partition) }
        return (tracker, positions)
    }

    @Test("nothing is committed before the oldest message has finished")
    func oldest() {
        var (tracker, positions) = tracker([7, 8, 9])
        tracker.finish(positions[1])
        tracker.finish(positions[2])
        #expect(tracker.takeOffsets().isEmpty)
        tracker.finish(positions[0])
        #expect(tracker.takeOffsets() == [partition: 10])
        #expect(tracker.takeOffsets().isEmpty)
    }

    @Test("a position is that of the first message that is not finished, or where it will start")
    func positions() {
        var tracker = OffsetTracker()
        tracker.assign([partition])
        #expect(tracker.positions == [:])
        #expect(tracker.withoutPosition == [partition])
        tracker.record(starts: [partition: 5, TopicPartition(topic: "other", partition: 0): 1])
        #expect(tracker.positions == [partition: 5])
        let first = tracker.start(7, at: 1_000, of: partition)
        #expect(tracker.positions == [partition: 7])
        first.map { tracker.finish($0) }
        #expect(tracker.positions == [partition: 8])
    }

    @Test("an offset is taken again after its commit failed")
    func failedCommit() {
        var (tracker, positions) = tracker([0])
        tracker.finish(positions[0])
        #expect(tracker.takeOffsets() == [partition: 1])
        tracker.restore([partition])
        #expect(tracker.takeOffsets() == [partition: 1])
    }

    @Test("a result is ignored once its partition was revoked, even if it is assigned again")
    func revoked() {
        var (tracker, positions) = tracker([5, 6])
        tracker.finish(positions[0])
        tracker.revoke([partition])
        tracker.finish(positions[1])
        #expect(tracker.takeOffsets().isEmpty)
        tracker.assign([partition])
        #expect(!tracker.isCurrent(positions[1]))
        let again = tracker.start(5, at: 1_000, of: partition)
        tracker.finish(positions[0])
        #expect(tracker.takeOffsets().isEmpty)
        again.map { tracker.finish($0) }
        #expect(tracker.takeOffsets() == [partition: 6])
    }

    @Test("a message that was started, or whose partition is not assigned, is not started")
    func repeated() {
        var (tracker, positions) = tracker([1, 4])
        #expect(tracker.start(4, at: 1_000, of: partition) == nil)
        for position in positions { tracker.finish(position) }
        #expect(tracker.start(4, at: 1_000, of: partition) == nil)
        #expect(tracker.start(1, at: nil, of: TopicPartition(topic: "other", partition: 0)) == nil)
    }

    @Test("offsets that start again are those of new messages, and only those are committed")
    func startAgain() throws {
        var (tracker, positions) = tracker([0, 4, 5])
        tracker.finish(positions[0])
        tracker.finish(positions[1])
        let again = [Int64(0), 1].compactMap { tracker.start($0, at: 2_000, of: partition) }
        try #require(again.count == 2)
        // The last message of the deleted topic is still sent, and its offset means nothing now.
        #expect(tracker.isCurrent(positions[2]))
        tracker.finish(positions[2])
        #expect(tracker.takeOffsets().isEmpty)
        tracker.finish(again[0])
        #expect(tracker.takeOffsets() == [partition: 1])
        tracker.revoke([partition])
        tracker.assign([partition])
        #expect(!tracker.isCurrent(positions[2]) && !tracker.isCurrent(again[1]))
    }

    @Test(
        "the only message of a topic differs from the first message of a new topic with the same name"
    )
    func sameOffset() {
        var (tracker, positions) = tracker([0])
        tracker.finish(positions[0])
        let repeated = tracker.start(0, at: 1_000, of: partition)
        #expect(repeated == nil)
        let next = tracker.start(0, at: 2_000, of: partition)
        #expect(next != nil)
    }

    @Test(
        "a committed offset never passes an unfinished message of the assignment",
        arguments: UInt64(0)..<100)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var model = TrackerModel()
        for _ in 0..<2_000 { model.step(&random) }
    }
}

/// A tracker, and what it should know.
private struct TrackerModel {
    private var tracker = OffsetTracker()
    private let partitions = (0..<3).map { TopicPartition(topic: "t", partition: $0) }
    /// The unfinished messages of the current assignment.
    private var unfinished: [TopicPartition: [MessagePosition]] = [:]
    /// Messages of earlier assignments.
    private var outdated: [MessagePosition] = []
    private var next: [TopicPartition: Int64] = [:]
    private var committed: [TopicPartition: Int64] = [:]

    mutating func step(_ random: inout SplitMix64) {
        let partition = partitions.randomElement(using: &random)!
        switch Int.random(in: 0..<20, using: &random) {
        case 0: assign(partition)
        case 1: revoke(partition)
        case 2..<10: start(partition, gap: Int64.random(in: 0..<3, using: &random))
        case 10..<17: finish(partition, &random)
        case 17: if let old = outdated.randomElement(using: &random) { tracker.finish(old) }
        case 18: tracker.restore([partition])
        default: commit()
        }
    }

    private mutating func assign(_ partition: TopicPartition) {
        guard unfinished[partition] == nil else { return }
        tracker.assign([partition])
        unfinished[partition] = []
        // What was not committed is delivered again.
        next[partition] = committed[partition] ?? 0
    }

    private mutating func revoke(_ partition: TopicPartition) {
        guard let messages = unfinished.removeValue(forKey: partition) else { return }
        tracker.revoke([partition])
        outdated += messages
    }

    private mutating func start(_ partition: TopicPartition, gap: Int64) {
        let offset = (next[partition] ?? 0) + gap
        let position = tracker.start(offset, at: nil, of: partition)
        #expect((position != nil) == (unfinished[partition] != nil))
        guard let position else { return }
        unfinished[partition]?.append(position)
        next[partition] = offset + 1
    }

    private mutating func finish(_ partition: TopicPartition, _ random: inout SplitMix64) {
        guard let messages = unfinished[partition], !messages.isEmpty else { return }
        let index = Int.random(in: 0..<messages.count, using: &random)
        tracker.finish(messages[index])
        unfinished[partition]?.remove(at: index)
    }

    private mutating func commit() {
        for (partition, offset) in tracker.takeOffsets() {
            #expect(unfinished[partition] != nil)
            #expect(offset >= committed[partition] ?? 0)
            let oldest = unfinished[partition]?.map(\.offset).min()
            #expect(offset <= oldest ?? next[partition] ?? 0)
            // All that is finished before the oldest unfinished message is committed.
            if oldest == nil { #expect(offset == next[partition]) }
            committed[partition] = offset
        }
    }
}
