import Synchronization

/// The end offsets of partitions, queried periodically.
struct EndOffsets {
    /// The offsets after the last messages.
    var offsets: [TopicPartition: Int64] = [:]
    /// The time of the last query.
    var time: ContinuousClock.Instant?
}

/// The number of messages that wait.
extension ConsumerClient {
    /// The minimum time between two queries of offsets that librdkafka does not track.
    private static let queryInterval = Duration.seconds(5)
    private static let timeLimitMilliseconds: Int32 = 1_000

    /// Returns the number of messages in assigned partitions that are not finished, as far as it is
    /// known.
    func lag() -> Int64 {
        queryIfDue()
        return tracker.withLock { $0.positions }.reduce(0) { lag, next in
            var (low, high): (Int64, Int64) = (0, 0)
            let code = unsafe library.consumer.watermarks(
                handle, next.key.topic, next.key.partition, &low, &high)
            // Unknown offsets are negative.
            let end = max(code == 0 ? high : 0, endOffsets.offsets[next.key] ?? 0)
            return lag + max(end - max(next.value, low), 0)
        }
    }

    /// Queries the ends of paused partitions, and the committed offsets of those without a message.
    private func queryIfDue() {
        guard isPaused else { return endOffsets = EndOffsets() }
        let isDue = endOffsets.time.map { $0.duration(to: .now) >= Self.queryInterval } ?? true
        guard isDue, !connection.isDown else { return }
        endOffsets.time = .now
        let (assigned, unknown) = tracker.withLock { ($0.assigned, $0.withoutPosition) }
        let starts = unsafe offsets(of: unknown, with: library.consumer.committed)
        // Partitions without a committed offset are consumed from their start.
        tracker.withLock { $0.record(starts: starts.mapValues { max($0, 0) }) }
        endOffsets.offsets = unsafe offsets(
            of: assigned, with: library.consumer.offsetsForTimes)
    }

    /// Returns what a function writes into a list of partitions, or nothing if it fails.
    private func offsets(
        of partitions: Set<TopicPartition>,
        with query: @convention(c) (OpaquePointer, LibRDKafka.Raw, Int32) -> Int32
    ) -> [TopicPartition: Int64] {
        if partitions.isEmpty { return [:] }
        // The timestamp -1 means the end of a partition.
        let list = PartitionList(library, Dictionary(partitions.map { ($0, -1) }) { $1 })
        let code = unsafe query(handle, list.handle, Self.timeLimitMilliseconds)
        return code == 0 ? unsafe PartitionList.offsets(in: list.handle) : [:]
    }
}
