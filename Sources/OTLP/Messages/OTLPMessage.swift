import Problems
package import SwiftProtobuf

/// A message sent on its own: the requests and responses of the services, and the status of an
/// error.
package protocol OTLPMessage: SwiftProtobuf.Message {
    /// The name in errors: `logs request`.
    static var subject: String { get }

    /// The row of a request in ``RequestFields``, or `nil` for other messages.
    static var requestRow: Int? { get }

    /// Converts each trace ID and each span ID.
    mutating func convertIdentifiers(
        _ conversion: IdentifierConversion
    ) throws(OTLPError)

    /// Checks that the number of each enumeration fits in 32 bits.
    func checkEnumerations() throws(OTLPError)
}

extension OTLPMessage {
    package static var requestRow: Int? { nil }

    /// Reads a message.
    ///
    /// Fields unknown to this version of OTLP are preserved from protobuf to protobuf; from JSON
    /// they are dropped, as OTLP specifies.
    ///
    /// - Parameters:
    ///   - bytes: The whole body, uncompressed. It is not copied.
    ///   - messageLimit: The maximum number of records, attributes and other messages of a request.
    package init(
        decoding bytes: [UInt8], as encoding: OTLPEncoding,
        messageLimit: Int = OTLPLimits.messageCount
    ) throws(OTLPError) {
        try Self.checkCount(bytes, encoding: encoding, limit: messageLimit)
        switch encoding {
        case .protobuf: try self.init(protobuf: bytes)
        case .json: try self.init(json: bytes)
        }
    }

    /// Checks that the bytes are a valid message of this type. Creates the message only if scanning
    /// the bytes is inconclusive.
    ///
    /// - Parameters:
    ///   - bytes: The whole body, not compressed.
    ///   - messageLimit: The maximum number of records, attributes and other messages of a request.
    package static func check(
        protobuf bytes: [UInt8], messageLimit: Int = OTLPLimits.messageCount
    ) throws(OTLPError) {
        if let requestRow {
            var scanner = ProtobufScanner(bytes, row: requestRow)
            scanner.scan(upTo: messageLimit)
            guard scanner.repeatedCount <= messageLimit else { throw tooMany(messageLimit) }
            if scanner.isComplete, scanner.isCertain { return }
        }
        _ = try Self(protobuf: bytes)
    }

    /// Returns the encoded message.
    ///
    /// JSON cannot represent unknown fields, nor an ID of a wrong length, which OTLP defines as
    /// absent.
    package func encoded(as encoding: OTLPEncoding) throws(OTLPError) -> [UInt8] {
        switch encoding {
        case .protobuf: try protobuf()
        case .json: try json()
        }
    }
}

extension OTLPMessage {
    private static func checkCount(
        _ bytes: [UInt8], encoding: OTLPEncoding, limit: Int
    ) throws(OTLPError) {
        guard let requestRow else { return }
        let isExceeded =
            switch encoding {
            case .protobuf: MessageCounter.exceeds(limit, protobuf: bytes, row: requestRow)
            case .json: MessageCounter.exceeds(limit, json: bytes)
            }
        if isExceeded { throw tooMany(limit) }
    }

    private static func tooMany(_ limit: Int) -> OTLPError {
        OTLPError(
            .count,
            Problem(
                subject, detail: "has more than \(limit) messages",
                suggestion: "send fewer at once"))
    }

    private init(protobuf bytes: [UInt8]) throws(OTLPError) {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = OTLPLimits.messageDepth
        do {
            try self.init(serializedBytes: bytes, options: options)
        } catch { throw OTLPError(reading: Self.subject, protobuf: error) }
    }

    private init(json bytes: [UInt8]) throws(OTLPError) {
        var options = JSONDecodingOptions()
        options.messageDepthLimit = OTLPLimits.messageDepth
        options.ignoreUnknownFields = true
        do { try self.init(jsonUTF8Bytes: bytes, options: options) } catch {
            guard let repaired = SurrogateRepair.repaired(bytes) else {
                throw OTLPError(reading: Self.subject, json: error)
            }
            try self.init(json: repaired)
            return
        }
        try checkEnumerations()
        try convertIdentifiers(.fromJSON)
    }

    private func protobuf() throws(OTLPError) -> [UInt8] {
        do { return try serializedBytes() } catch {
            throw OTLPError(
                .unwritable,
                Problem(Self.subject, detail: "\(error)", suggestion: "send less at once"))
        }
    }

    private func json() throws(OTLPError) -> [UInt8] {
        var options = JSONEncodingOptions()
        options.alwaysPrintEnumsAsInts = true
        var message = self
        try message.convertIdentifiers(.toJSON)
        do { return try message.jsonUTF8Bytes(options: options) } catch {
            throw OTLPError(
                .unwritable,
                Problem(Self.subject, detail: "\(error)", suggestion: "send protobuf"))
        }
    }
}
