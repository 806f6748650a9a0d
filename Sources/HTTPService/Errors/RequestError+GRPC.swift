import GRPCCore
import GRPCProtobuf
import NIOHPACK
import Problems

extension RequestError: RPCErrorConvertible {
    var rpcErrorCode: RPCError.Code { RPCError.Code(status) }

    var rpcErrorMessage: String { description }

    /// The retry information. Clients may retry a call only if the server says when.
    var rpcErrorMetadata: Metadata {
        guard let retryAfter else { return [:] }
        return GoogleRPCStatus(
            code: rpcErrorCode, message: description,
            details: [.retryInfo(delay: .seconds(retryAfter))]
        ).rpcErrorMetadata
    }
}

extension HPACKHeaders {
    /// A response that consists of trailers only (gRPC over HTTP/2, "Responses").
    init(refusing error: any RPCErrorConvertible) {
        self = [
            ":status": "200", "content-type": "application/grpc",
            "grpc-status": "\(error.rpcErrorCode.rawValue)",
            "grpc-message": Self.escaped(error.rpcErrorMessage),
        ]
        for (key, value) in error.rpcErrorMetadata { add(name: key, value: value.encoded()) }
    }

    /// Returns text in the form of `grpc-message`, with everything but printable ASCII
    /// percent-encoded.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            guard byte < 0x20 || byte > 0x7e || byte == UInt8(ascii: "%")
            else { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
