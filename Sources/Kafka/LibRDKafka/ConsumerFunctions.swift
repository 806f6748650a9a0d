import ClientLibraries

/// The functions of librdkafka for consumers.
@safe
struct ConsumerFunctions: Sendable {
    typealias CString = LibRDKafka.CString
    typealias Raw = LibRDKafka.Raw

    let pollFromConsumer: @Sendable @convention(c) (OpaquePointer) -> Int32
    let subscribe: @Sendable @convention(c) (OpaquePointer, Raw) -> Int32
    let consume: @Sendable @convention(c) (OpaquePointer, Int32) -> Raw?
    let destroyMessage: @Sendable @convention(c) (Raw) -> Void
    let timestamp: @Sendable @convention(c) (Raw, UnsafeMutablePointer<Int32>) -> Int64
    let headers: @Sendable @convention(c) (Raw, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    let lastHeader:
        @Sendable @convention(c) (
            OpaquePointer, CString, UnsafeMutablePointer<UnsafeRawPointer?>,
            UnsafeMutablePointer<Int>
        ) -> Int32
    let topicName: @Sendable @convention(c) (OpaquePointer) -> CString?
    let assign: @Sendable @convention(c) (OpaquePointer, Raw?) -> Int32
    let isAssignmentLost: @Sendable @convention(c) (OpaquePointer) -> Int32
    let commit: @Sendable @convention(c) (OpaquePointer, Raw, Int32) -> Int32
    let pause: @Sendable @convention(c) (OpaquePointer, Raw) -> Int32
    let resume: @Sendable @convention(c) (OpaquePointer, Raw) -> Int32
    let closeConsumer: @Sendable @convention(c) (OpaquePointer) -> Int32
    let watermarks:
        @Sendable @convention(c) (
            OpaquePointer, CString, Int32, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>
        ) -> Int32
    let committed: @Sendable @convention(c) (OpaquePointer, Raw, Int32) -> Int32
    let offsetsForTimes: @Sendable @convention(c) (OpaquePointer, Raw, Int32) -> Int32
    let newPartitions: @Sendable @convention(c) (Int32) -> Raw?
    let addPartition: @Sendable @convention(c) (Raw, CString, Int32) -> Raw?
    let destroyPartitions: @Sendable @convention(c) (Raw) -> Void

    init(_ library: SharedLibrary<KafkaError>) throws(KafkaError) {
        unsafe pollFromConsumer = try library.function("rd_kafka_poll_set_consumer")
        unsafe subscribe = try library.function("rd_kafka_subscribe")
        unsafe consume = try library.function("rd_kafka_consumer_poll")
        unsafe destroyMessage = try library.function("rd_kafka_message_destroy")
        unsafe timestamp = try library.function("rd_kafka_message_timestamp")
        unsafe headers = try library.function("rd_kafka_message_headers")
        unsafe lastHeader = try library.function("rd_kafka_header_get_last")
        unsafe topicName = try library.function("rd_kafka_topic_name")
        unsafe assign = try library.function("rd_kafka_assign")
        unsafe isAssignmentLost = try library.function("rd_kafka_assignment_lost")
        unsafe commit = try library.function("rd_kafka_commit")
        unsafe pause = try library.function("rd_kafka_pause_partitions")
        unsafe resume = try library.function("rd_kafka_resume_partitions")
        unsafe closeConsumer = try library.function("rd_kafka_consumer_close")
        unsafe watermarks = try library.function("rd_kafka_get_watermark_offsets")
        unsafe committed = try library.function("rd_kafka_committed")
        unsafe offsetsForTimes = try library.function("rd_kafka_offsets_for_times")
        unsafe newPartitions = try library.function("rd_kafka_topic_partition_list_new")
        unsafe addPartition = try library.function("rd_kafka_topic_partition_list_add")
        unsafe destroyPartitions = try library.function("rd_kafka_topic_partition_list_destroy")
    }
}
