import Algorithms

/// Decides which offsets of assigned partitions may be committed. A state machine without I/O.
///
/// Messages finish in any order. The committed offset of a partition is that of the oldest
/// unfinished message, or the one after the last message if all are finished. So a consumer that
/// takes over the partition starts with the oldest unfinished message.
///
/// The offsets of an assigned partition start again at a lower number if its topic is deleted and
/// created again, or if brokers lose its last messages. A period ends whenever that happens.
struct OffsetTracker {
    fileprivate struct Message {
        var offset: Int64
        /// The time of its production, or `nil` if it has none.
        var time: Int64?
        var isFinished = false
    }

    fileprivate struct Partition {
        /// The number of the first period since the partition was assigned.
        let firstPeriod: Int
        /// The number of the current period, in which offsets ascend.
        var period: Int
        /// Messages in progress, in ascending order, from `head` on.
        var messages: [Message] = []
        var head = 0
        /// The offset that may be committed, or `nil` before the first message has finished.
        var offset: Int64?
        /// The offset that was last returned for a commit.
        var taken: Int64?
        /// The offset that was committed before the partition was assigned, or `nil` if it is
        /// unknown.
        var start: Int64?

        /// Whether a message is unfinished.
        var isBusy: Bool { head < messages.count }

        /// The offset of the first unfinished message, or `nil` if it is unknown.
        var position: Int64? { offset ?? messages.first?.offset ?? start }
    }

    private var partitions: [TopicPartition: Partition] = [:]
    private var periodCount = 0

    /// The assigned partitions.
    var assigned: Set<TopicPartition> { Set(partitions.keys) }

    /// The offsets of the first unfinished messages, without partitions in which none has started
    /// and whose committed offset is unknown.
    var positions: [TopicPartition: Int64] { partitions.compactMapValues(\.position) }

    /// The partitions that are missing in ``positions``.
    var withoutPosition: Set<TopicPartition> { assigned.subtracting(positions.keys) }

    /// Whether any of these partitions has an unfinished message.
    func isBusy(_ revoked: Set<TopicPartition>) -> Bool {
        revoked.contains { partitions[$0]?.isBusy ?? false }
    }

    /// Adds partitions, which start without messages.
    mutating func assign(_ added: Set<TopicPartition>) {
        periodCount += 1
        for partition in added {
            partitions[partition] = Partition(firstPeriod: periodCount, period: periodCount)
        }
    }

    /// Records the committed offsets of partitions.
    mutating func record(starts: [TopicPartition: Int64]) {
        for (partition, offset) in starts { partitions[partition]?.start = offset }
    }

    /// Removes partitions. Results of their messages are ignored from now on, even if the
    /// partitions are assigned again.
    mutating func revoke(_ removed: Set<TopicPartition>) {
        for partition in removed { partitions[partition] = nil }
    }

    /// Starts tracking a message. Offsets of a partition ascend, with gaps, within a period.
    ///
    /// - Parameter time: The time of its production, which distinguishes a message from an earlier
    ///   one with the same offset.
    /// - Returns: `nil` if the partition is not assigned, or the message was started already.
    mutating func start(
        _ offset: Int64, at time: Int64?, of partition: TopicPartition
    ) -> MessagePosition? {
        guard partitions[partition]?.hasStarted(offset, at: time) == false else { return nil }
        if let last = partitions[partition]?.messages.last, offset <= last.offset {
            periodCount += 1
            partitions[partition]?.restart(as: periodCount)
        }
        partitions[partition]?.messages.append(Message(offset: offset, time: time))
        return partitions[partition].map {
            MessagePosition(partition: partition, offset: offset, period: $0.period)
        }
    }

    /// Marks a message as finished. Does nothing if its period has ended.
    mutating func finish(_ position: MessagePosition) {
        guard partitions[position.partition]?.period == position.period else { return }
        partitions[position.partition]?.finish(position.offset)
    }

    /// Whether a message belongs to the current assignment of its partition, even if from an
    /// earlier period: no other consumer receives it in that case.
    func isCurrent(_ position: MessagePosition) -> Bool {
        partitions[position.partition].map { $0.firstPeriod <= position.period } ?? false
    }

    /// Returns the offsets that changed since the last call, of all partitions or only some.
    mutating func takeOffsets(of wanted: Set<TopicPartition>? = nil) -> [TopicPartition: Int64] {
        var offsets: [TopicPartition: Int64] = [:]
        for (name, partition) in partitions where wanted?.contains(name) ?? true {
            guard let offset = partition.offset, offset != partition.taken else { continue }
            offsets[name] = offset
            partitions[name]?.taken = offset
        }
        return offsets
    }

    /// Makes the next ``takeOffsets(of:)`` return the offsets of partitions again, because a commit
    /// failed.
    mutating func restore(_ failed: Set<TopicPartition>) {
        for partition in failed { partitions[partition]?.taken = nil }
    }
}

extension OffsetTracker.Partition {
    fileprivate func hasStarted(_ offset: Int64, at time: Int64?) -> Bool {
        index(of: offset, from: 0).map { messages[$0].time == time } ?? false
    }

    /// Starts a new period without messages.
    fileprivate mutating func restart(as period: Int) {
        self = Self(firstPeriod: firstPeriod, period: period)
    }

    fileprivate mutating func finish(_ offset: Int64) {
        guard let index = index(of: offset, from: head) else { return }
        messages[index].isFinished = true
        while head < messages.count, messages[head].isFinished {
            self.offset = messages[head].offset + 1
            head += 1
        }
        // Each message is moved at most once on average. The last one is kept to detect a repeated
        // offset.
        if head > messages.count / 2, head > 1 {
            messages.removeFirst(head - 1)
            head = 1
        }
    }

    private func index(of offset: Int64, from start: Int) -> Int? {
        let index = messages[start...].partitioningIndex { $0.offset >= offset }
        return index < messages.count && messages[index].offset == offset ? index : nil
    }
}
