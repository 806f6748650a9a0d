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
        let list = unsafe list.assumingMemoryBound(to: PartitionListStructure.self).pointee
        var partitions: Set<TopicPartition> = []
        for index in 0..<(unsafe Int(list.count)) {
            guard let element = unsafe list.elements?[index], let topic = unsafe element.topic
            else { continue }
            partitions.insert(
                TopicPartition(
                    topic: unsafe String(cString: topic), partition: unsafe element.partition))
        }
        return partitions
    }
}
