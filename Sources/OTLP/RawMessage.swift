public import GRPCCore

/// Passes gRPC messages as bytes, without encoding or decoding.
public struct RawMessage: MessageSerializer, MessageDeserializer {
    public init() {}

    public func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) -> Bytes {
        Bytes(message)
    }

    public func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
}
