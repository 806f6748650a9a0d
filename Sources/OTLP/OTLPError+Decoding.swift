import Problems
private import SwiftProtobuf

extension OTLPError {
    init(reading subject: String, protobuf error: any Error) {
        switch error as? BinaryDecodingError {
        case .messageDepthLimit: self = .tooDeep(subject)
        case .invalidUTF8:
            self.init(
                .malformed,
                Problem(
                    subject, detail: "a string is not UTF-8", suggestion: "send it as bytes"))
        default:
            // The library reports most bytes that are not protobuf as a truncated message.
            self.init(
                .malformed,
                Problem(
                    subject, detail: "is truncated or not protobuf",
                    suggestion: "check the content type"))
        }
    }

    init(reading subject: String, json error: any Error) {
        if case .messageDepthLimit? = error as? JSONDecodingError {
            self = .tooDeep(subject)
        } else {
            let problem = (error as? JSONDecodingError)?.phrase ?? "is not of OTLP's form"
            self.init(
                .malformed,
                Problem(
                    subject, detail: problem, suggestion: "see the JSON encoding of OTLP")
            )
        }
    }

    private static func tooDeep(_ subject: String) -> Self {
        let limit = OTLPLimits.messageDepth
        return Self(
            .depth,
            Problem(
                subject, detail: "is nested deeper than \(limit) messages",
                suggestion: "send flatter attributes"))
    }
}

extension JSONDecodingError {
    /// The problem, to follow the message's name.
    fileprivate var phrase: String {
        switch self {
        case .truncated: "JSON is truncated"
        case .trailingGarbage: "JSON has text after its end"
        case .malformedNumber, .leadingZero: "a number is malformed"
        case .numberRange: "a number is out of its field's range"
        case .malformedString, .unquotedMapKey:
            "a string, id or base64 value is malformed or missing"
        case .malformedBool: "a truth value is malformed"
        case .invalidUTF8: "a string is not UTF-8"
        case .illegalNull: "a message is null"
        case .conflictingOneOf: "a value has two kinds at once"
        default: "is not OTLP JSON"
        }
    }
}
