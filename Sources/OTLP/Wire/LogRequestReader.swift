/// Finds the log records of an encoded request.
///
/// The field numbers are those of opentelemetry/proto/logs/v1/logs.proto and
/// collector/logs/v1/logs_service.proto.
struct LogRequestReader {
    private(set) var resources: [LogRequestLayout.ResourceRanges] = []
    private(set) var scopes: [LogRequestLayout.ScopeRanges] = []
    private(set) var records: [LogRequestLayout.MessageRange] = []

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: Whether the whole request is protobuf.
    mutating func read() -> Bool {
        each(in: bytes.indices) { reader, number, message in
            number != 1 || reader.addResource(message)
        }
    }

    /// A `ResourceLogs`.
    private mutating func addResource(_ message: LogRequestLayout.MessageRange) -> Bool {
        let index = resources.count
        let first = scopes.count
        resources.append(.init(message: message, scopes: first..<first))
        let isRead = each(in: message.content) { reader, number, message in
            switch number {
            case 1: reader.resources[index].resource.append(message.content)
            case 2: return reader.addScope(message, of: index)
            default: break
            }
            return true
        }
        resources[index].scopes = first..<scopes.count
        return isRead
    }

    /// A `ScopeLogs`.
    private mutating func addScope(_ message: LogRequestLayout.MessageRange, of resource: Int)
        -> Bool
    {
        let index = scopes.count
        let first = records.count
        scopes.append(.init(message: message, resource: resource, records: first..<first))
        let isRead = each(in: message.content) { reader, number, message in
            switch number {
            case 1: reader.scopes[index].scope.append(message.content)
            case 2: reader.records.append(message)
            default: break
            }
            return true
        }
        scopes[index].records = first..<records.count
        return isRead
    }

    /// Calls `body` for each field with a length, until it returns `false`.
    private mutating func each(
        in range: Range<Int>,
        _ body: (inout Self, _ number: UInt64, LogRequestLayout.MessageRange) -> Bool
    ) -> Bool {
        var fields = ProtobufFields(bytes, in: range)
        while let field = fields.next() {
            guard let content = field.content else { continue }
            let message = LogRequestLayout.MessageRange(whole: field.whole, content: content)
            guard body(&self, field.number, message) else { return false }
        }
        return !fields.isMalformed
    }
}
