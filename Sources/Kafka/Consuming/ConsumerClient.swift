import Glibc
import Synchronization

/// A consumer of librdkafka, used by one thread except for ``tracker``.
///
/// Callbacks of librdkafka run on the thread, inside of ``poll()`` and ``close()``.
@safe
final class ConsumerClient: @unchecked Sendable {
    private static let pollMilliseconds: Int32 = 100
    /// The pause between checks whether revoked partitions are drained.
    private static let drainMicroseconds: UInt32 = 10_000

    let connection = ConnectionState()
    let tracker = Mutex(OffsetTracker())
    let library: LibRDKafka
    let settings: ConsumerSettings
    let brokers: String
    /// `nil` once the client is closed, because a handler may refer to its consumer.
    private(set) var handler: (any ConsumerHandler)?
    /// `nil` once the client is closed.
    private var client: OpaquePointer?
    private(set) var isPaused = false
    /// The end offsets of paused partitions, because librdkafka does not notice new messages there.
    var endOffsets = EndOffsets()

    init(
        _ library: LibRDKafka, connecting connection: KafkaSettings, _ settings: ConsumerSettings,
        handler: any ConsumerHandler
    ) throws(KafkaError) {
        self.library = library
        self.settings = settings
        brokers = connection.brokers
        self.handler = handler
        let properties = try connection.connectionProperties().merging(settings.properties()) { $1 }
            .merging(connection.properties) { $1 }
        let configuration = try ClientConfiguration(library, properties: properties)
        unsafe library.setErrorReport(configuration.handle) { _, code, text, client in
            unsafe ConsumerClient.client(client)?.record(code, text)
        }
        unsafe library.setRebalance(configuration.handle) { _, code, list, client in
            guard let list = unsafe list else { return }
            unsafe ConsumerClient.client(client)?.rebalance(ResponseCode(rawValue: code), list)
        }
        unsafe library.setCommitReport(configuration.handle) { _, code, list, client in
            guard let list = unsafe list else { return }
            unsafe ConsumerClient.client(client)?.committed(ResponseCode(rawValue: code), list)
        }
        let reference = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe client = try configuration.client(.consumer, reportingTo: reference)
    }

    private static func client(_ opaque: UnsafeMutableRawPointer?) -> ConsumerClient? {
        unsafe opaque.map { unsafe Unmanaged<ConsumerClient>.fromOpaque($0).takeUnretainedValue() }
    }

    var handle: OpaquePointer {
        guard let client = unsafe client else { preconditionFailure("consumer: is closed") }
        return unsafe client
    }

    /// Joins the group.
    func subscribe() {
        _ = unsafe library.consumer.pollFromConsumer(handle)
        let topics = PartitionList(library, topics: settings.topics)
        check(ResponseCode(rawValue: unsafe library.consumer.subscribe(handle, topics.handle)))
    }

    /// Waits briefly for a message, and passes it to the handler.
    func poll() {
        pause(!(handler?.hasCapacity ?? false))
        guard let message = unsafe library.consumer.consume(handle, Self.pollMilliseconds) else {
            return
        }
        defer { unsafe library.consumer.destroyMessage(message) }
        unsafe receive(message)
    }

    private func pause(_ isWanted: Bool) {
        guard isWanted != isPaused else { return }
        isPaused = isWanted
        apply(isPaused, to: tracker.withLock { $0.assigned })
    }

    private func apply(_ isPaused: Bool, to partitions: Set<TopicPartition>) {
        let list = PartitionList(library, partitions)
        let change = unsafe isPaused ? library.consumer.pause : library.consumer.resume
        check(ResponseCode(rawValue: unsafe change(handle, list.handle)))
    }

    private func rebalance(_ code: ResponseCode, _ list: UnsafeMutableRawPointer) {
        let partitions = unsafe PartitionList.partitions(in: list)
        switch code {
        case .assignPartitions:
            tracker.withLock { $0.assign(partitions) }
            handler?.assigned(partitions)
            unsafe assign(list)
            // librdkafka keeps a partition paused while it belongs to another consumer.
            apply(isPaused, to: partitions)
        case .revokePartitions:
            revoke(partitions)
            unsafe assign(nil)
        default:
            revoke(tracker.withLock { $0.assigned })
            unsafe assign(nil)
        }
    }

    /// Waits up to ``ConsumerSettings/drainLimit`` for messages in progress, so that fewer are
    /// processed twice, then commits the finished ones and stops tracking the partitions.
    private func revoke(_ partitions: Set<TopicPartition>) {
        if unsafe library.consumer.isAssignmentLost(handle) == 0 {
            let start = ContinuousClock.now
            while start.duration(to: .now) < settings.drainLimit,
                tracker.withLock({ $0.isBusy(partitions) })
            {
                usleep(Self.drainMicroseconds)
            }
            commit(tracker.withLock { $0.takeOffsets(of: partitions) }, waits: true)
        }
        tracker.withLock { $0.revoke(partitions) }
        handler?.revoked(partitions)
    }

    /// Replaces the assigned partitions; `nil` removes all of them.
    private func assign(_ list: UnsafeMutableRawPointer?) {
        check(ResponseCode(rawValue: unsafe library.consumer.assign(handle, list)))
    }

    /// Makes a last commit, leaves the group and destroys the client.
    func close() {
        guard let handle = unsafe client else { return }
        _ = unsafe library.consumer.closeConsumer(handle)
        unsafe library.destroyClient(handle)
        unsafe client = nil
        handler = nil
    }
}
