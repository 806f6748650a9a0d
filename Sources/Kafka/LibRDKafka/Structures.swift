/// `rd_kafka_message_t`, a message or its delivery report.
@unsafe
struct MessageStructure {
    let error: Int32
    let topic: OpaquePointer?
    let partition: Int32
    let payload: UnsafeMutableRawPointer?
    let length: Int
    let key: UnsafeMutableRawPointer?
    let keyLength: Int
    let offset: Int64
    let opaque: UnsafeMutableRawPointer?
}

/// `rd_kafka_topic_partition_t`, a partition with an offset.
@unsafe
struct PartitionStructure {
    let topic: UnsafePointer<CChar>?
    let partition: Int32
    var offset: Int64
    let metadata: UnsafeMutableRawPointer?
    let metadataSize: Int
    let opaque: UnsafeMutableRawPointer?
    let error: Int32
    let reserved: UnsafeMutableRawPointer?
}

/// `rd_kafka_topic_partition_list_t`.
@unsafe
struct PartitionListStructure {
    let count: Int32
    let capacity: Int32
    let elements: UnsafeMutablePointer<PartitionStructure>?
}

/// `rd_kafka_vu_t`, an argument of `rd_kafka_produceva`: its kind and a union of 64 bytes.
struct ProduceArgument {
    let kind: Int32
    var words: (UInt, UInt, UInt) = (0, 0, 0)
    private let padding: (UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0)

    private init(kind: Int32, _ first: UInt, _ second: UInt = 0, _ third: UInt = 0) {
        self.kind = kind
        words = (first, second, third)
    }

    static func topic(_ name: UnsafePointer<CChar>) -> Self {
        Self(kind: 1, UInt(bitPattern: name))
    }

    static func value(_ bytes: UnsafeRawBufferPointer) -> Self {
        Self(kind: 4, UInt(bitPattern: bytes.baseAddress), UInt(bytes.count))
    }

    static func opaque(_ pointer: UnsafeMutableRawPointer) -> Self {
        Self(kind: 6, UInt(bitPattern: pointer))
    }

    /// The flag that makes librdkafka copy the value.
    static let copy = Self(kind: 7, 2)

    static func header(
        name: UnsafePointer<CChar>, value: UnsafePointer<CChar>, length: Int
    ) -> Self {
        Self(kind: 9, UInt(bitPattern: name), UInt(bitPattern: value), UInt(length))
    }
}
