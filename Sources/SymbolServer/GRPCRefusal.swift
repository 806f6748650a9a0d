import GRPCCore
import GRPCProtobuf
import NIOHPACK

extension RequestError: RPCErrorConvertible {
    var rpcErrorCode: RPCError.Code { RPCError.Code(status) }

    var rpcErrorMessage: String { description }

    /// Clients may only repeat what is said to be worth repeating, and when.
    var rpcErrorMetadata: Metadata {
        guard let retryAfter else { return [:] }
        return GoogleRPCStatus(
            code: rpcErrorCode, message: description,
            details: [.retryInfo(delay: .seconds(retryAfter))]
        ).rpcErrorMetadata
    }
}

extension HPACKHeaders {
    /// An answer that is nothing but its trailers (gRPC over HTTP/2, "Responses").
    init(refusing error: any RPCErrorConvertible) {
        self = [
            ":status": "200", "content-type": "application/grpc",
            "grpc-status": "\(error.rpcErrorCode.rawValue)",
            "grpc-message": Self.escaped(error.rpcErrorMessage),
        ]
        for (key, value) in error.rpcErrorMetadata { add(name: key, value: value.encoded()) }
    }

    /// Text in the form of `grpc-message`, where all but printable ASCII is percent-encoded.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            guard byte < 0x20 || byte > 0x7e || byte == UInt8(ascii: "%")
            else { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
