private import SwiftProtobuf

extension OTLPError {
    /// - Parameter subject: The message that was read.
    init(reading subject: String, protobuf error: any Error) {
        switch error as? BinaryDecodingError {
        case .messageDepthLimit: self = .tooDeep(subject)
        case .invalidUTF8:
            self.init(.malformed, "\(subject): a string is not UTF-8: send it as bytes")
        default:
            // Most texts that are not protobuf look to the library like some that is cut off.
            self.init(
                .malformed, "\(subject): is cut off or not protobuf: check the content type")
        }
    }

    init(reading subject: String, json error: any Error) {
        if case .messageDepthLimit? = error as? JSONDecodingError {
            self = .tooDeep(subject)
        } else {
            let problem = (error as? JSONDecodingError)?.phrase ?? "is not of OTLP's form"
            self.init(.malformed, "\(subject): \(problem): see the JSON encoding of OTLP")
        }
    }

    private static func tooDeep(_ subject: String) -> Self {
        let limit = OTLPLimits.messageDepth
        return Self(
            .depth, "\(subject): nests deeper than \(limit) messages: send flatter attributes")
    }
}

extension JSONDecodingError {
    /// What was found, to stand behind the message's name.
    fileprivate var phrase: String {
        switch self {
        case .truncated: "JSON is cut off"
        case .trailingGarbage: "JSON goes on behind its end"
        case .malformedNumber, .leadingZero: "a number is malformed"
        case .numberRange: "a number is out of its field's range"
        case .malformedString, .unquotedMapKey:
            "a string, id or base64 value is malformed or missing"
        case .malformedBool: "a truth value is malformed"
        case .invalidUTF8: "a string is not UTF-8"
        case .illegalNull: "null stands where a message must be"
        case .conflictingOneOf: "a value has two kinds at once"
        default: "is not JSON of OTLP's form"
        }
    }
}
