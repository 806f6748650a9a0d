/// The records of an encoded export request: log records, spans or metrics.
///
/// In the requests of all three signals, resources are field 1, their scopes field 2, and the
/// records of a scope field 2.
package struct RequestRecords {
    private static let path: [UInt64] = [1, 2, 2]

    /// The number of records. Those after bytes that are not protobuf do not count.
    package let count: Int

    package init(of request: [UInt8]) {
        var messages = [0..<request.count]
        for number in Self.path {
            messages = messages.flatMap { message in
                ProtobufFields(request, in: message).filter { $0.number == number }
                    .compactMap(\.content)
            }
        }
        count = messages.count
    }
}
