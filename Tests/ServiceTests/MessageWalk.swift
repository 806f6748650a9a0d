/// Checks whether bytes are a complete message of protobuf: each tag is one of its fields, and each
/// length ends within it. It shares no code with the service, so that both cannot have the same
/// error.
struct MessageWalk {
    /// The fields of a message by their numbers, or `nil` for a field that is not a message.
    indirect enum Shape {
        case fields([UInt64: Shape?])
        /// `AnyValue`, which may contain others of its kind.
        case anyValue
    }

    /// The shapes of requests by their paths.
    static let requests: [String: Shape] = [
        "/v1/logs": logs, "/v1/traces": traces, "/v1/metrics": metrics,
    ]

    private static let attribute = Shape.fields([1: nil, 2: .anyValue, 3: nil])
    private static let resource = Shape.fields([1: attribute, 2: nil, 3: .fields([:])])
    private static let scope = Shape.fields([1: nil, 2: nil, 3: attribute, 4: nil])
    private static let record = Shape.fields([
        1: nil, 2: nil, 3: nil, 5: .anyValue, 6: attribute, 7: nil, 8: nil, 9: nil, 10: nil,
        11: nil, 12: nil,
    ])
    private static let event = Shape.fields([1: nil, 2: nil, 3: attribute, 4: nil])
    private static let link = Shape.fields([1: nil, 2: nil, 3: nil, 4: attribute, 5: nil, 6: nil])
    private static let span = Shape.fields([
        1: nil, 2: nil, 3: nil, 4: nil, 5: nil, 6: nil, 7: nil, 8: nil, 9: attribute, 10: nil,
        11: event, 12: nil, 13: link, 14: nil, 15: .fields([2: nil, 3: nil]), 16: nil,
    ])
    private static let point = Shape.fields([
        2: nil, 3: nil, 4: nil, 5: nil, 6: nil, 7: attribute, 8: nil,
    ])
    /// A metric, whose points are checked if it is a gauge or a sum.
    private static let metric = Shape.fields([
        1: nil, 2: nil, 3: nil, 5: .fields([1: point]), 7: .fields([1: point, 2: nil, 3: nil]),
        9: nil, 10: nil, 11: nil, 12: attribute,
    ])
    private static let logs = request(of: record)
    private static let traces = request(of: span)
    private static let metrics = request(of: metric)

    private static func request(of item: Shape) -> Shape {
        let items = Shape.fields([1: scope, 2: item, 3: nil])
        return .fields([1: .fields([1: resource, 2: items, 3: nil])])
    }

    private var rest: ArraySlice<UInt8>

    static func accepts(_ bytes: some Collection<UInt8>, as shape: Shape) -> Bool {
        var walk = Self(rest: ArraySlice(bytes))
        while !walk.rest.isEmpty {
            guard walk.field(of: shape) else { return false }
        }
        return true
    }

    private mutating func field(of shape: Shape) -> Bool {
        guard let tag = varint(), let inner = shape[tag >> 3] else { return false }
        switch tag & 7 {
        case 0: return inner == nil && varint() != nil
        case 1: return inner == nil && take(8) != nil
        case 5: return inner == nil && take(4) != nil
        case 2:
            guard let count = varint(), let bytes = take(count) else { return false }
            return inner.map { Self.accepts(bytes, as: $0) } ?? true
        default: return false
        }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// Reads at most ten bytes, where the last one has one bit.
    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst(), shift < 63 || byte <= 1 else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension MessageWalk.Shape {
    /// The shape of a field, or `nil` if there is none with that number.
    fileprivate subscript(number: UInt64) -> MessageWalk.Shape?? {
        switch self {
        case .fields(let fields): fields[number]
        case .anyValue:
            switch number {
            case 1...4, 7, 8: .some(nil)
            case 5: .some(.fields([1: .anyValue]))
            case 6: .some(.fields([1: .fields([1: nil, 2: .anyValue, 3: nil])]))
            default: nil
            }
        }
    }
}
