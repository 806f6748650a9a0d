/// Finds the log records of an encoded request.
///
/// The field numbers are those of opentelemetry/proto/logs/v1/logs.proto and
/// collector/logs/v1/logs_service.proto.
struct LogRequestReader {
    private(set) var resources: [LogRequestLayout.ResourcePlace] = []
    private(set) var scopes: [LogRequestLayout.ScopePlace] = []
    private(set) var records: [LogRequestLayout.Place] = []

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: Whether the whole request is protobuf.
    mutating func read() -> Bool {
        each(in: bytes.indices) { reader, number, place in
            number != 1 || reader.addResource(place)
        }
    }

    /// A `ResourceLogs`.
    private mutating func addResource(_ place: LogRequestLayout.Place) -> Bool {
        let index = resources.count
        let first = scopes.count
        resources.append(.init(place: place, scopes: first..<first))
        let isRead = each(in: place.content) { reader, number, place in
            switch number {
            case 1: reader.resources[index].resource.append(place.content)
            case 2: return reader.addScope(place, of: index)
            default: break
            }
            return true
        }
        resources[index].scopes = first..<scopes.count
        return isRead
    }

    /// A `ScopeLogs`.
    private mutating func addScope(_ place: LogRequestLayout.Place, of resource: Int) -> Bool {
        let index = scopes.count
        let first = records.count
        scopes.append(.init(place: place, resource: resource, records: first..<first))
        let isRead = each(in: place.content) { reader, number, place in
            switch number {
            case 1: reader.scopes[index].scope.append(place.content)
            case 2: reader.records.append(place)
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
        _ body: (inout Self, _ number: UInt64, LogRequestLayout.Place) -> Bool
    ) -> Bool {
        var fields = ProtobufFields(bytes, in: range)
        while let field = fields.next() {
            guard let content = field.content else { continue }
            let place = LogRequestLayout.Place(whole: field.whole, content: content)
            guard body(&self, field.number, place) else { return false }
        }
        return !fields.isMalformed
    }
}
