/// An OpenTelemetry log record, reduced to the fields that may contain a diagnostic.
///
/// Attributes stay flat: `….signal` and `….signal.name` are separate ones.
public struct ReceivedLogRecord: Sendable {
    public enum Value: Hashable, Sendable {
        /// UTF-8, sent as a string or as bytes: a part of the request, so that it is not copied.
        case text(ArraySlice<UInt8>)
        case integer(Int64)
        case real(Double)
        case bool(Bool)
    }

    public var eventName: String?
    public var scopeName: String?
    public var attributes: [String: Value]
    /// The attributes of the reporting process, which may be of a different build than the one that
    /// crashed.
    public var resource: [String: Value]
    /// The time of the event, in nanoseconds since 1970-01-01.
    public var unixNanoseconds: UInt64?

    public init(
        eventName: String? = nil, scopeName: String? = nil, attributes: [String: Value] = [:],
        resource: [String: Value] = [:], unixNanoseconds: UInt64? = nil
    ) {
        self.eventName = eventName
        self.scopeName = scopeName
        self.attributes = attributes
        self.resource = resource
        self.unixNanoseconds = unixNanoseconds
    }

    func text(_ key: String) -> String? { Self.text(attributes[key]) }

    /// Returns a string attribute of the resource, or `nil` if it is missing or empty.
    public func resourceText(_ key: String) -> String? { Self.text(resource[key]) }

    func bytes(_ key: String) -> [UInt8]? {
        if case .text(let bytes)? = attributes[key] { Array(bytes) } else { nil }
    }

    /// Returns the 64 bits of an integer as an unsigned number, because OTLP has no unsigned
    /// integers.
    func integer(_ key: String) -> UInt64? {
        switch attributes[key] {
        case .integer(let number)?: UInt64(bitPattern: number)
        case .text?:
            text(key).flatMap { UInt64($0) ?? Int64($0).map { UInt64(bitPattern: $0) } }
        default: nil
        }
    }

    private static func text(_ value: Value?) -> String? {
        guard case .text(let bytes)? = value, !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
