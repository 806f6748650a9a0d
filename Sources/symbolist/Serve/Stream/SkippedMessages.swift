import Kafka
import Problems

/// The messages that were skipped since they were last logged: a run of offsets for each partition, so
/// that their number is bounded.
struct SkippedMessages {
    private struct Run {
        let first: Int64
        var last: Int64
        var count = 0
        /// The problem of the first one.
        let problem: Problem

        init(_ position: MessagePosition, _ problem: Problem) {
            first = position.offset
            last = position.offset
            self.problem = problem
        }
    }

    private var runs: [TopicPartition: Run] = [:]

    /// - Returns: Whether it is the first message since the last log lines.
    mutating func add(_ position: MessagePosition, _ problem: Problem) -> Bool {
        let isFirst = runs.isEmpty
        var run = runs[position.partition] ?? Run(position, problem)
        // After a rebalance, messages may be received again.
        run.last = max(run.last, position.offset)
        run.count += 1
        runs[position.partition] = run
        return isFirst
    }

    /// Returns a line for each partition, and forgets the messages.
    mutating func takeLines() -> [String] {
        defer { runs = [:] }
        return runs.map { partition, run in
            let more = run.count > 1 ? " to \(run.last) (\(run.count) messages)" : ""
            let what = run.count > 1 ? "not OTLP requests" : "not an OTLP request"
            return """
                kafka: \(partition)@\(run.first)\(more): \(what) in protobuf, skipped: \
                \(run.problem): produce with the encoding 'otlp_proto'
                """
        }.sorted()
    }
}
