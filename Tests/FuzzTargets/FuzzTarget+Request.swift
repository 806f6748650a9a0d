import OTLP

extension FuzzTarget {
    private static let requests: [any OTLPMessage.Type] = [
        ExportLogsServiceRequest.self, ExportTraceServiceRequest.self,
        ExportMetricsServiceRequest.self,
    ]

    /// Whether bytes are a request with contents.
    static func isRequest(_ input: [UInt8]) -> Bool {
        requests.contains { type in
            OTLPEncoding.allCases.contains { encoding in
                let bytes = try? protobuf(of: type, input, encoding)
                return bytes?.isEmpty == false
            }
        }
    }

    func readRequest(_ input: [UInt8]) throws {
        for type in Self.requests {
            for encoding in OTLPEncoding.allCases {
                guard let bytes = try? Self.protobuf(of: type, input, encoding) else { continue }
                try checkRequest(bytes, of: type)
            }
        }
    }

    /// Checks that the message, written in both encodings, is read as the same message.
    private func checkRequest(_ bytes: [UInt8], of type: any OTLPMessage.Type) throws {
        try promise(
            "what is written can be read and is written as before",
            (try? Self.protobuf(of: type, bytes, .protobuf)) == bytes)
        let json = try type.init(decoding: bytes, as: .protobuf).encoded(as: .json)
        let again = try type.init(decoding: json, as: .json).encoded(as: .json)
        try promise("JSON that is written can be read and is written as before", again == json)
    }

    private static func protobuf<Message: OTLPMessage>(
        of _: Message.Type, _ input: [UInt8], _ encoding: OTLPEncoding
    ) throws -> [UInt8] {
        try Message(decoding: input, as: encoding).encoded(as: .protobuf)
    }
}
