extension ExportTraceServiceRequest: OTLPMessage {
    package static var subject: String { "trace request" }
    package static var requestRow: Int? { 1 }

    package mutating func convertIdentifiers(
        _ conversion: IdentifierConversion
    ) throws(OTLPError) {
        for resource in resourceSpans.indices {
            for scope in resourceSpans[resource].scopeSpans.indices {
                for span in resourceSpans[resource].scopeSpans[scope].spans.indices {
                    try resourceSpans[resource].scopeSpans[scope].spans[span].convertIdentifiers(
                        conversion,
                        at: "resourceSpans[\(resource)].scopeSpans[\(scope)].spans[\(span)]")
                }
            }
        }
    }

    package func checkEnumerations() throws(OTLPError) {
        for (resource, spans) in resourceSpans.enumerated() {
            for (scope, spans) in spans.scopeSpans.enumerated() {
                for (index, span) in spans.spans.enumerated() {
                    try span.checkEnumerations(
                        "resourceSpans[\(resource)].scopeSpans[\(scope)].spans[\(index)]")
                }
            }
        }
    }
}

extension ExportTraceServiceResponse: OTLPMessage {
    package static var subject: String { "trace response" }

    package func convertIdentifiers(_: IdentifierConversion) {}

    package func checkEnumerations() {}
}

extension Span {
    fileprivate mutating func convertIdentifiers(
        _ conversion: IdentifierConversion, at path: @autoclosure () -> String
    ) throws(OTLPError) {
        try conversion(
            &traceID, count: IdentifierConversion.traceBytes, at: path() + ".traceId")
        try conversion(&spanID, count: IdentifierConversion.spanBytes, at: path() + ".spanId")
        try conversion(
            &parentSpanID, count: IdentifierConversion.spanBytes, at: path() + ".parentSpanId")
        guard !links.isEmpty else { return }
        // A span stores its fields behind a reference, so changing the links one by one would copy
        // all of them.
        var converted = links
        for index in converted.indices {
            try conversion(
                &converted[index].traceID, count: IdentifierConversion.traceBytes,
                at: path() + ".links[\(index)].traceId")
            try conversion(
                &converted[index].spanID, count: IdentifierConversion.spanBytes,
                at: path() + ".links[\(index)].spanId")
        }
        links = converted
    }

    fileprivate func checkEnumerations(
        _ path: @autoclosure () -> String
    ) throws(OTLPError) {
        try kind.checkWidth(path() + ".kind")
        try status.code.checkWidth(path() + ".status.code")
    }
}
