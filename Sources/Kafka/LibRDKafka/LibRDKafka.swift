import ClientLibraries

/// The functions of librdkafka that this module calls, looked up when the library is loaded.
///
/// The library is loaded at runtime rather than linked, because only services that use Kafka need
/// it. Structures are passed as raw pointers; `Structures.swift` has their types.
@safe
struct LibRDKafka: Sendable {
    typealias CString = UnsafePointer<CChar>
    typealias Raw = UnsafeMutableRawPointer
    /// The client, the message and the opaque pointer of the client.
    typealias DeliveryReport = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Raw?) -> Void
    /// The client, an error code, its text and the opaque pointer of the client.
    typealias ErrorReport = @convention(c) (OpaquePointer?, Int32, CString?, Raw?) -> Void
    typealias LogLine = @convention(c) (OpaquePointer?, Int32, CString?, CString?) -> Void
    /// The client, an error code, a list of partitions and the opaque pointer of the client.
    typealias PartitionReport = @convention(c) (OpaquePointer?, Int32, Raw?, Raw?) -> Void

    let errorText: @Sendable @convention(c) (Int32) -> CString?
    let newConfiguration: @Sendable @convention(c) () -> OpaquePointer?
    let destroyConfiguration: @Sendable @convention(c) (OpaquePointer) -> Void
    let set:
        @Sendable @convention(c) (OpaquePointer, CString, CString, UnsafeMutablePointer<CChar>, Int)
            -> Int32
    let setOpaque: @Sendable @convention(c) (OpaquePointer, Raw?) -> Void
    let setDeliveryReport: @Sendable @convention(c) (OpaquePointer, DeliveryReport) -> Void
    let setErrorReport: @Sendable @convention(c) (OpaquePointer, ErrorReport) -> Void
    let setLog: @Sendable @convention(c) (OpaquePointer, LogLine) -> Void
    let setRebalance: @Sendable @convention(c) (OpaquePointer, PartitionReport) -> Void
    let setCommitReport: @Sendable @convention(c) (OpaquePointer, PartitionReport) -> Void
    let newClient:
        @Sendable @convention(c) (Int32, OpaquePointer, UnsafeMutablePointer<CChar>, Int) ->
            OpaquePointer?
    let destroyClient: @Sendable @convention(c) (OpaquePointer) -> Void
    let poll: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let flush: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let purge: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let produce: @Sendable @convention(c) (OpaquePointer, UnsafeRawPointer, Int) -> OpaquePointer?
    let errorCode: @Sendable @convention(c) (OpaquePointer) -> Int32
    let destroyError: @Sendable @convention(c) (OpaquePointer) -> Void
    let fatalError:
        @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>, Int) -> Int32
    let metadata:
        @Sendable @convention(c) (
            OpaquePointer, Int32, OpaquePointer?, UnsafeMutablePointer<Raw?>, Int32
        ) -> Int32
    let destroyMetadata: @Sendable @convention(c) (Raw) -> Void
    let consumer: ConsumerFunctions

    /// The library, loaded on first use.
    static let loaded = Result { () throws(KafkaError) in try LibRDKafka(path: "librdkafka.so.1") }

    /// Loads the library, which stays loaded until the process ends.
    ///
    /// - Throws: ``KafkaError`` with the reason `libraryUnavailable` if it is missing or older than
    ///   version 1.6.
    init(path: String) throws(KafkaError) {
        let library = try SharedLibrary(path: path, failure: KafkaError.libraryUnavailable)
        unsafe errorText = try library.function("rd_kafka_err2str")
        unsafe newConfiguration = try library.function("rd_kafka_conf_new")
        unsafe destroyConfiguration = try library.function("rd_kafka_conf_destroy")
        unsafe set = try library.function("rd_kafka_conf_set")
        unsafe setOpaque = try library.function("rd_kafka_conf_set_opaque")
        unsafe setDeliveryReport = try library.function("rd_kafka_conf_set_dr_msg_cb")
        unsafe setErrorReport = try library.function("rd_kafka_conf_set_error_cb")
        unsafe setLog = try library.function("rd_kafka_conf_set_log_cb")
        unsafe setRebalance = try library.function("rd_kafka_conf_set_rebalance_cb")
        unsafe setCommitReport = try library.function("rd_kafka_conf_set_offset_commit_cb")
        unsafe newClient = try library.function("rd_kafka_new")
        unsafe destroyClient = try library.function("rd_kafka_destroy")
        unsafe poll = try library.function("rd_kafka_poll")
        unsafe flush = try library.function("rd_kafka_flush")
        unsafe purge = try library.function("rd_kafka_purge")
        unsafe produce = try library.function("rd_kafka_produceva")
        unsafe errorCode = try library.function("rd_kafka_error_code")
        unsafe destroyError = try library.function("rd_kafka_error_destroy")
        unsafe fatalError = try library.function("rd_kafka_fatal_error")
        unsafe metadata = try library.function("rd_kafka_metadata")
        unsafe destroyMetadata = try library.function("rd_kafka_metadata_destroy")
        consumer = try ConsumerFunctions(library)
    }

    /// Returns the code of an error, or `none` if there is no error. Frees the error.
    func code(taking error: OpaquePointer?) -> ResponseCode {
        guard let error = unsafe error else { return .none }
        defer { unsafe destroyError(error) }
        return ResponseCode(rawValue: unsafe errorCode(error))
    }

    /// Returns the text of an error code.
    func text(of code: ResponseCode) -> String {
        let text = unsafe errorText(code.rawValue)
        return unsafe text.map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
    }
}
