/// A list of partitions for librdkafka, freed with the value.
@safe
struct PartitionList: ~Copyable {
    private let library: LibRDKafka
    let handle: UnsafeMutableRawPointer

    /// - Parameter offsets: The partitions with the offsets to commit. For other purposes the
    ///   offsets have no meaning.
    init(_ library: LibRDKafka, _ offsets: [TopicPartition: Int64]) {
        self.library = library
        guard let list = unsafe library.consumer.newPartitions(Int32(offsets.count)) else {
            preconditionFailure("librdkafka: out of memory")
        }
        unsafe handle = list
        for (partition, offset) in offsets {
            unsafe library.consumer.addPartition(list, partition.topic, partition.partition)?
                .assumingMemoryBound(to: PartitionStructure.self).pointee.offset = offset
        }
    }

    init(_ library: LibRDKafka, _ partitions: Set<TopicPartition>) {
        self.init(library, Dictionary(partitions.map { ($0, 0) }) { $1 })
    }

    init(_ library: LibRDKafka, topics: [String]) {
        self.init(library, [TopicPartition: Int64]())
        for topic in topics { _ = unsafe library.consumer.addPartition(handle, topic, -1) }
    }

    deinit { unsafe library.consumer.destroyPartitions(handle) }

    /// Returns the partitions of a list of librdkafka.
    @unsafe
    static func partitions(in list: UnsafeMutableRawPointer) -> Set<TopicPartition> {
        Set(unsafe elements(in: list).map(\.partition))
    }

    /// Returns the offsets of the partitions of a list that have no error.
    @unsafe
    static func offsets(in list: UnsafeMutableRawPointer) -> [TopicPartition: Int64] {
        let valid = unsafe elements(in: list).filter { $0.error == 0 }
        return Dictionary(valid.map { ($0.partition, $0.offset) }) { $1 }
    }

    @unsafe
    private static func elements(
        in list: UnsafeMutableRawPointer
    ) -> [(partition: TopicPartition, offset: Int64, error: Int32)] {
        let list = unsafe list.assumingMemoryBound(to: PartitionListStructure.self).pointee
        return (0..<(unsafe Int(list.count))).compactMap { index in
            guard let element = unsafe list.elements?[index], let topic = unsafe element.topic
            else { return nil }
            let partition = TopicPartition(
                topic: unsafe String(cString: topic), partition: unsafe element.partition)
            return (partition, unsafe element.offset, unsafe element.error)
        }
    }
}
