import KafkaSupport
import Synchronization
import TestSupport
import Testing

@testable import Kafka

@Suite("Consuming")
struct ConsumerTests {
    @Test("messages arrive once, with their headers and times, and are committed when finished")
    func consumed() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 3)
        try await produce(100, to: cluster.brokers)
        let first = RecordingHandler()
        var consumer = try consumer(of: cluster.brokers, first)
        #expect(await eventually { first.values.count == 100 })
        #expect(first.headers == ["shop"])
        #expect(first.messages.allSatisfy { $0.timestamp != nil })
        for message in first.messages { consumer.finish(message.position) }
        await consumer.close()
        try await produce(1, to: cluster.brokers, first: 100)
        let second = RecordingHandler()
        consumer = try self.consumer(of: cluster.brokers, second)
        #expect(await eventually { !second.values.isEmpty })
        await consumer.close()
        #expect(second.values == [100])
    }

    @Test("messages that did not finish are delivered again")
    func unfinished() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        try await produce(10, to: cluster.brokers)
        let first = RecordingHandler()
        var consumer = try consumer(of: cluster.brokers, first)
        #expect(await eventually { first.values.count == 10 })
        // The sixth does not finish.
        for (index, message) in first.messages.enumerated() where index != 5 {
            consumer.finish(message.position)
        }
        await consumer.close()
        let second = RecordingHandler()
        consumer = try self.consumer(of: cluster.brokers, second)
        #expect(await eventually { second.values.count == 5 })
        await consumer.close()
        #expect(second.values == first.order[5...].sorted())
    }

    @Test("a closed consumer keeps no reference to its handler")
    func released() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        var handler: RecordingHandler? = RecordingHandler()
        weak let released = handler
        let consumer = try consumer(of: cluster.brokers, try #require(handler))
        handler = nil
        #expect(released != nil)
        await consumer.close()
        #expect(released == nil)
    }

    @Test("closing waits for the end of the client, also in a cancelled task")
    func closedByCancelledTask() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        var handler: RecordingHandler? = RecordingHandler()
        weak let released = handler
        let consumer = try consumer(of: cluster.brokers, try #require(handler))
        handler = nil
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await consumer.close()
        }
        await closing.value
        #expect(released == nil)
    }

    @Test("no message is delivered while there is no room")
    func paused() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 2)
        let handler = RecordingHandler(room: 10)
        let consumer = try consumer(of: cluster.brokers, handler)
        #expect(await eventually { consumer.partitionCount == 2 })
        try await produce(50, to: cluster.brokers)
        #expect(await eventually { handler.values.count >= 10 })
        #expect(await eventually { handler.idleQuestions > 5 })
        #expect(handler.values.count == 10)
        handler.admitAll()
        #expect(await eventually { handler.values.count == 50 })
        await consumer.close()
    }

    @Test("partitions that were paused when they were revoked are consumed when they come back")
    func pausedWhenRevoked() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 4)
        let first = RecordingHandler(room: 1)
        let one = try consumer(of: cluster.brokers, first)
        #expect(await eventually { one.partitionCount == 4 })
        try await produce(200, to: cluster.brokers)
        #expect(await eventually { first.idleQuestions > 5 })
        let two = try consumer(of: cluster.brokers, RecordingHandler())
        #expect(await eventually { two.partitionCount == 2 && one.partitionCount == 2 })
        first.admitAll()
        #expect(await eventually { first.order.count > 1 })
        await two.close()
        #expect(await eventually { one.partitionCount == 4 && first.values.count == 200 })
        await one.close()
    }

    @Test("the lag grows while nothing is consumed or finished")
    func lagWhilePaused() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 2)
        try await produce(40, to: cluster.brokers)
        let handler = RecordingHandler(room: 0)
        let consumer = try consumer(of: cluster.brokers, handler)
        #expect(await eventually { consumer.lag == 40 })
        try await produce(10, to: cluster.brokers, first: 40)
        #expect(await eventually { consumer.lag == 50 })
        handler.admitAll()
        #expect(await eventually { handler.values.count == 50 })
        #expect(await eventually { consumer.lag == 50 })
        for message in handler.messages { consumer.finish(message.position) }
        #expect(await eventually { consumer.lag == 0 })
        await consumer.close()
    }

    @Test("a second member gets some of the partitions, and nothing is lost or committed early")
    func rebalance() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 4)
        let (first, second) = (RecordingHandler(), RecordingHandler())
        let one = try consumer(of: cluster.brokers, first)
        #expect(await eventually { one.partitionCount == 4 })
        try await produce(100, to: cluster.brokers)
        #expect(await eventually { first.values.count == 100 })
        let two = try consumer(of: cluster.brokers, second)
        #expect(await eventually { two.partitionCount == 2 && one.partitionCount == 2 })
        // Nothing was finished, so all messages are delivered again, each to one of the two.
        let kept = { first.messages.filter { one.isCurrent($0.position) } }
        #expect(await eventually { kept().count + second.values.count == 100 })
        #expect(!kept().isEmpty && !second.values.isEmpty)
        // Results of the first assignment come too late.
        for message in first.messages where !one.isCurrent(message.position) {
            one.finish(message.position)
        }
        await one.close()
        #expect(await eventually { second.values.count == 100 })
        await two.close()
    }

    /// librdkafka ends the process here if members keep their partitions during rebalances.
    @Test("members may leave before the group has given them partitions")
    func leavesEarly() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        for _ in 0..<2 {
            let consumer = try consumer(of: cluster.brokers, RecordingHandler())
            try await Task.sleep(for: .seconds(2))
            await consumer.close()
        }
    }

    private func consumer(
        of brokers: String, _ handler: RecordingHandler
    ) throws -> Consumer {
        var settings = ConsumerSettings(group: "g", topics: ["otlp_logs"], headerName: "app")
        // The mock waits for a second less before each assignment, even if all members have joined.
        settings.sessionTimeout = .seconds(6)
        settings.commitInterval = .milliseconds(50)
        settings.drainLimit = .milliseconds(100)
        return try Consumer(KafkaSettings(brokers: brokers), settings, handler: handler)
    }

    private func produce(_ count: Int, to brokers: String, first: Int = 0) async throws {
        var settings = KafkaSettings(brokers: brokers)
        // Each message gets a partition of its own choice.
        settings.properties = ["sticky.partitioning.linger.ms": "0"]
        let producer = try Producer(settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in first..<first + count {
                group.addTask {
                    try await producer.send(
                        OutgoingMessage(
                            topic: "otlp_logs", value: Array("\(number)".utf8),
                            header: .init(name: "app", value: "shop")))
                }
            }
            try await group.waitForAll()
        }
        await producer.close(within: .seconds(5))
    }
}

/// Keeps the messages of a consumer.
final class RecordingHandler: ConsumerHandler {
    private struct State {
        var messages: [ConsumedMessage] = []
        var room: Int
        var idleQuestions = 0
        var errors: [KafkaError] = []
    }

    private let state: Mutex<State>

    init(room: Int = .max) { state = Mutex(State(room: room)) }

    var messages: [ConsumedMessage] { state.withLock { $0.messages } }
    var order: [Int] {
        messages.compactMap { Int(String(decoding: $0.value, as: UTF8.self)) }
    }
    /// The distinct numbers in the messages.
    var values: [Int] { Set(order).sorted() }
    var headers: Set<String> { Set(messages.compactMap(\.header)) }
    /// How often the consumer asked for room since there was none.
    var idleQuestions: Int { state.withLock { $0.idleQuestions } }

    func admitAll() { state.withLock { $0.room = .max } }

    var hasCapacity: Bool {
        state.withLock { state in
            let hasCapacity = state.messages.count < state.room
            if !hasCapacity { state.idleQuestions += 1 }
            return hasCapacity
        }
    }

    func received(_ message: ConsumedMessage) { state.withLock { $0.messages.append(message) } }
    func assigned(_: Set<TopicPartition>) {}
    func revoked(_: Set<TopicPartition>) {}
    func failed(_ error: KafkaError) { state.withLock { $0.errors.append(error) } }
}
