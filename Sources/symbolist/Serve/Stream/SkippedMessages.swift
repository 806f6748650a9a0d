import Kafka
import Problems

/// The messages that were skipped since they were last logged: a run of offsets for each partition, so
/// that their number is bounded.
struct SkippedMessages {
    private struct Run {
        let first: Int64
        var last: Int64
        var count = 1
        /// The problem of the first one.
        let problem: Problem
    }

    private var runs: [TopicPartition: Run] = [:]

    /// - Returns: Whether it is the first one.
    mutating func add(_ position: MessagePosition, _ problem: Problem) -> Bool {
        let isFirst = runs.isEmpty
        var run = runs.removeValue(forKey: position.partition)
        run?.last = position.offset
        run?.count += 1
        runs[position.partition] =
            run ?? Run(first: position.offset, last: position.offset, problem: problem)
        return isFirst
    }

    /// Returns a line for each partition, and forgets the messages.
    mutating func takeLines() -> [String] {
        defer { runs = [:] }
        return runs.map { partition, run in
            let more = run.count > 1 ? " to \(run.last) (\(run.count) messages)" : ""
            return """
                kafka: \(partition)@\(run.first)\(more): not an OTLP request in protobuf, left out: \
                \(run.problem): produce with the encoding 'otlp_proto'
                """
        }.sorted()
    }
}
