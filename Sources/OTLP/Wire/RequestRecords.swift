/// The records of an encoded export request: log records, spans or metrics.
package struct RequestRecords {
    /// The fields that lead to a record. In the requests of all three signals, resources are field 1,
    /// their scopes field 2, and the records of a scope field 2.
    private static let path: [UInt64] = [1, 2, 2]

    /// The number of records before the first bytes that are not protobuf.
    package let count: Int

    package init(of request: [UInt8]) {
        count = Self.count(in: request, 0..<request.count, path: Self.path[...])
    }

    private static func count(
        in request: [UInt8], _ message: Range<Int>, path: ArraySlice<UInt64>
    ) -> Int {
        guard let number = path.first else { return 1 }
        var count = 0
        for field in ProtobufFields(request, in: message) where field.number == number {
            guard let content = field.content else { continue }
            count += Self.count(in: request, content, path: path.dropFirst())
        }
        return count
    }
}
