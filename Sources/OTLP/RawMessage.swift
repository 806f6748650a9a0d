public import GRPCCore

/// Messages of gRPC as the bytes that they are: neither encoded nor decoded on the way.
public struct RawMessage: MessageSerializer, MessageDeserializer {
    public init() {}

    public func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes {
        Bytes(message)
    }

    public func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
}
