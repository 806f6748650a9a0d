import Problems
import Synchronization

/// Messages, errors and commits.
extension ConsumerClient {
    /// Passes a message to the handler, or reports the error that librdkafka delivers as a message.
    @unsafe
    func receive(_ pointer: UnsafeMutableRawPointer) {
        let message = unsafe pointer.assumingMemoryBound(to: MessageStructure.self).pointee
        let code = ResponseCode(rawValue: unsafe message.error)
        guard code == .none else {
            if code != .endOfPartition { check(code) }
            return
        }
        connection.recordSuccess()
        guard let topic = unsafe message.topic.flatMap({ unsafe library.consumer.topicName($0) })
        else { return }
        let partition = TopicPartition(
            topic: unsafe String(cString: topic), partition: unsafe message.partition)
        let (offset, time) = unsafe (message.offset, timestamp(of: pointer))
        guard let position = tracker.withLock({ $0.start(offset, at: time, of: partition) })
        else { return }
        let payload = unsafe UnsafeRawBufferPointer(
            start: message.payload, count: message.payload == nil ? 0 : message.length)
        handler?.received(
            ConsumedMessage(
                position: position, value: unsafe Array(payload), timestamp: time,
                header: unsafe header(of: pointer)))
    }

    private func timestamp(of message: UnsafeMutableRawPointer) -> Int64? {
        var kind: Int32 = 0
        let time = unsafe library.consumer.timestamp(message, &kind)
        return time < 0 || kind == 0 ? nil : time
    }

    private func header(of message: UnsafeMutableRawPointer) -> String? {
        var headers: OpaquePointer?
        var value: UnsafeRawPointer?
        var length = 0
        guard unsafe library.consumer.headers(message, &headers) == 0,
            let headers = unsafe headers,
            unsafe library.consumer.lastHeader(headers, settings.headerName, &value, &length) == 0,
            let value = unsafe value
        else { return nil }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: value, count: length), as: UTF8.self)
    }

    func record(_ code: Int32, _ text: LibRDKafka.CString?) {
        let code = ResponseCode(rawValue: code)
        connection.record(code, unsafe text.map { unsafe String(cString: $0) } ?? "")
        if code == .allBrokersDown || code.reason == .topicRefused {
            handler?.failed(error(code, connection.lastError))
        }
    }

    /// Reports an error, if there is one.
    func check(_ code: ResponseCode) {
        if code != .none { handler?.failed(error(code)) }
    }

    private func error(_ code: ResponseCode, _ detail: String? = nil) -> KafkaError {
        KafkaError(
            code.reason,
            Problem(
                "kafka \(brokers): group '\(settings.group)'",
                detail: detail ?? library.text(of: code), suggestion: code.suggestion))
    }

    /// Commits offsets.
    ///
    /// - Parameter waits: Whether to wait for the result. Otherwise a callback reports it.
    func commit(_ offsets: [TopicPartition: Int64], waits: Bool) {
        guard !offsets.isEmpty else { return }
        let list = PartitionList(library, offsets)
        let code = ResponseCode(
            rawValue: unsafe library.consumer.commit(handle, list.handle, waits ? 0 : 1))
        if code != .none { recordFailedCommit(code, Set(offsets.keys)) }
    }

    /// Handles the result of an asynchronous commit.
    func committed(_ code: ResponseCode, _ list: UnsafeMutableRawPointer) {
        if code == .none {
            connection.recordSuccess()
        } else if code != .noOffset {
            recordFailedCommit(code, unsafe PartitionList.partitions(in: list))
        }
    }

    private func recordFailedCommit(_ code: ResponseCode, _ partitions: Set<TopicPartition>) {
        tracker.withLock { $0.restore(partitions) }
        check(code)
    }

    /// Checks whether a broker is reachable again.
    func checkConnection() { unsafe connection.check(handle, library) }
}
