import Problems
import Synchronization
import TaskCoordination

/// A producer of librdkafka, and the thread that calls it for delivery reports.
///
/// librdkafka's functions are safe on any thread as long as the client exists. So the client is
/// destroyed only after ``close(within:)``, when no function is running.
@safe
final class ProducerClient: @unchecked Sendable {
    private static let pollMilliseconds: Int32 = 100
    private static let connectionCheckInterval = Duration.seconds(3)

    let state = ConnectionState()
    private let library: LibRDKafka
    /// Owned by the thread, which destroys it.
    private let handle: OpaquePointer
    private let isOpen = Mutex(true)
    private let flushMilliseconds = Atomic<Int32>(-1)
    private let ended = Latch()

    init(
        _ library: LibRDKafka, properties: [String: String]
    ) throws(KafkaError) {
        self.library = library
        let configuration = try ClientConfiguration(library, properties: properties)
        unsafe library.setDeliveryReport(configuration.handle) { _, message, _ in
            unsafe ProducerClient.report(message)
        }
        unsafe library.setErrorReport(configuration.handle) { _, code, text, state in
            unsafe ConnectionState.report(code, text, to: state)
        }
        // The thread releases it, after the client is destroyed.
        let reference = unsafe Unmanaged.passRetained(state)
        do throws(KafkaError) {
            unsafe handle = try configuration.client(.producer, reportingTo: reference.toOpaque())
        } catch {
            unsafe reference.release()
            throw error
        }
        let code = startThread { [self] in
            serve()
            unsafe reference.release()
        }
        guard code == 0 else {
            unsafe library.destroyClient(handle)
            unsafe reference.release()
            throw KafkaError(.unavailable, Problem("kafka", detail: "no thread: errno \(code)"))
        }
    }

    /// Polls librdkafka until the client is closed, then sends the queued messages and destroys the
    /// client.
    private func serve() {
        var lastCheck = ContinuousClock.now
        while flushMilliseconds.load(ordering: .acquiring) < 0 {
            _ = unsafe library.poll(handle, Self.pollMilliseconds)
            if state.isDown, lastCheck.duration(to: .now) >= Self.connectionCheckInterval {
                unsafe state.check(handle, library)
                lastCheck = .now
            }
        }
        _ = unsafe library.flush(handle, flushMilliseconds.load(ordering: .acquiring))
        // Discards queued and in-flight messages, and delivers their reports.
        _ = unsafe library.purge(handle, 3)
        _ = unsafe library.flush(handle, Self.pollMilliseconds)
        unsafe library.destroyClient(handle)
        ended.open()
    }

    /// Sends the queued messages, for at most `limit`, and ends the client. Cancelling the task has
    /// no effect.
    func close(within limit: Duration) async {
        end(within: limit)
        await ended.wait()
    }

    /// Starts closing the client without waiting for the end. The limit of the first call counts.
    func end(within limit: Duration) {
        isOpen.withLock { $0 = false }
        _ = flushMilliseconds.compareExchange(
            expected: -1, desired: Int32(clamping: limit.milliseconds), ordering: .releasing)
    }

    /// Queues a message.
    ///
    /// - Returns: The result of queuing it. If it is `none`, `delivery` gets the final result.
    func produce(_ message: OutgoingMessage, _ delivery: PendingDelivery) -> ResponseCode {
        isOpen.withLock { isOpen in
            guard isOpen else { return .purgedInQueue }
            let reference = unsafe Unmanaged.passRetained(delivery)
            let result = unsafe message.withArguments(opaque: reference.toOpaque()) { arguments in
                guard let start = arguments.baseAddress else { return ResponseCode.none }
                return unsafe library.code(
                    taking: library.produce(handle, start, arguments.count))
            }
            if result != .none { unsafe reference.release() }
            return result
        }
    }

    /// Whether the client had a fatal error, after which it discards all its messages.
    var hasFailed: Bool {
        isOpen.withLock { isOpen in
            guard isOpen else { return false }
            var reason = [CChar](repeating: 0, count: 256)
            return unsafe library.fatalError(handle, &reason, reason.count) != 0
        }
    }

    private static func report(_ message: UnsafeRawPointer?) {
        guard let message = unsafe message?.assumingMemoryBound(to: MessageStructure.self).pointee,
            let opaque = unsafe message.opaque
        else { return }
        let delivery = unsafe Unmanaged<PendingDelivery>.fromOpaque(opaque).takeRetainedValue()
        delivery.finish(ResponseCode(rawValue: unsafe message.error))
    }
}

extension ConnectionState {
    /// Requests metadata from a broker, to find out whether one is reachable again.
    @unsafe
    func check(_ client: OpaquePointer, _ library: LibRDKafka) {
        var metadata: UnsafeMutableRawPointer?
        let code = unsafe library.metadata(client, 0, nil, &metadata, 1_000)
        if let metadata = unsafe metadata { unsafe library.destroyMetadata(metadata) }
        if code == 0 { recordSuccess() }
    }

    /// Passes an error of a connection to the state that the client was created with.
    @unsafe
    static func report(
        _ code: Int32, _ text: LibRDKafka.CString?, to state: UnsafeMutableRawPointer?
    ) {
        guard let state = unsafe state else { return }
        let text = unsafe text.map { unsafe String(cString: $0) } ?? ""
        unsafe Unmanaged<ConnectionState>.fromOpaque(state).takeUnretainedValue()
            .record(ResponseCode(rawValue: code), text)
    }
}

extension OutgoingMessage {
    /// Calls `body` with arguments of `rd_kafka_produceva` that are valid until it returns.
    @unsafe
    fileprivate func withArguments(
        opaque: UnsafeMutableRawPointer,
        _ body: (UnsafeBufferPointer<ProduceArgument>) -> ResponseCode
    ) -> ResponseCode {
        unsafe topic.withCString { topic in
            unsafe value.withUnsafeBytes { value in
                let arguments: [ProduceArgument] = unsafe [
                    .topic(topic), .value(value), .opaque(opaque), .copy,
                ]
                guard let header else { return unsafe arguments.withUnsafeBufferPointer(body) }
                return unsafe header.name.withCString { name in
                    unsafe header.value.withCString { text in
                        let argument = unsafe ProduceArgument.header(
                            name: name, value: text, length: header.value.utf8.count)
                        return unsafe (arguments + [argument]).withUnsafeBufferPointer(body)
                    }
                }
            }
        }
    }
}
