package import SwiftProtobuf

/// A message that is sent by itself: the requests and responses of the services, and the status of
/// an error.
package protocol OTLPMessage: SwiftProtobuf.Message {
    /// What errors call it: `logs request`.
    static var subject: String { get }

    /// The row of a request in ``NestedMessages``; `nil` for what is no request.
    static var requestRow: Int? { get }

    /// Converts each trace id and each span id.
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
    /// Fields that this version of OTLP does not know are kept of protobuf, and go out again when
    /// the message is written as protobuf; of JSON they are left out, as OTLP asks.
    ///
    /// - Parameters:
    ///   - bytes: The whole body, not compressed. They are not copied first.
    ///   - messageLimit: How many records, attributes and the like a request may hold.
    package init(
        decoding bytes: [UInt8], as encoding: OTLPEncoding,
        messageLimit: Int = OTLPLimits.messageCount
    ) throws(OTLPError) {
        try Self.checkCount(bytes, encoding, limit: messageLimit)
        switch encoding {
        case .protobuf: try self.init(protobuf: bytes)
        case .json: try self.init(json: bytes)
        }
    }

    /// The bytes that stand for the message.
    ///
    /// JSON has no place for unknown fields, and none for an id that has not the length of one; OTLP
    /// says that such an id counts as absent, and so it is left out.
    package func encoded(as encoding: OTLPEncoding) throws(OTLPError) -> [UInt8] {
        switch encoding {
        case .protobuf: try protobuf()
        case .json: try json()
        }
    }
}

extension OTLPMessage {
    private static func checkCount(
        _ bytes: [UInt8], _ encoding: OTLPEncoding, limit: Int
    ) throws(OTLPError) {
        guard let requestRow else { return }
        let isExceeded =
            switch encoding {
            case .protobuf: MessageCensus.exceeds(limit, protobuf: bytes, row: requestRow)
            case .json: MessageCensus.exceeds(limit, json: bytes)
            }
        guard !isExceeded else {
            throw OTLPError(
                .count, "\(subject): holds more than \(limit) messages: send fewer at once")
        }
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
        do {
            try self.init(jsonUTF8Bytes: bytes, options: options)
        } catch { throw OTLPError(reading: Self.subject, json: error) }
        try checkEnumerations()
        try convertIdentifiers(.fromJSON)
    }

    private func protobuf() throws(OTLPError) -> [UInt8] {
        do { return try serializedBytes() } catch {
            throw OTLPError(.unwritable, "\(Self.subject): \(error): send less at once")
        }
    }

    private func json() throws(OTLPError) -> [UInt8] {
        var options = JSONEncodingOptions()
        options.alwaysPrintEnumsAsInts = true
        var message = self
        try message.convertIdentifiers(.toJSON)
        do { return try message.jsonUTF8Bytes(options: options) } catch {
            throw OTLPError(.unwritable, "\(Self.subject): \(error): send protobuf")
        }
    }
}
