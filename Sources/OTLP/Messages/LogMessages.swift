extension ExportLogsServiceRequest: OTLPMessage {
    package static var subject: String { "logs request" }
    package static var requestRow: Int? { 0 }

    package mutating func convertIdentifiers(
        _ conversion: IdentifierConversion
    ) throws(OTLPError) {
        for resource in resourceLogs.indices {
            for scope in resourceLogs[resource].scopeLogs.indices {
                try resourceLogs[resource].scopeLogs[scope].convertIdentifiers(
                    conversion, at: "resourceLogs[\(resource)].scopeLogs[\(scope)]")
            }
        }
    }

    package func checkEnumerations() throws(OTLPError) {
        for (resource, logs) in resourceLogs.enumerated() {
            for (scope, logs) in logs.scopeLogs.enumerated() {
                for (index, record) in logs.logRecords.enumerated() {
                    try record.severityNumber.checkWidth(
                        "resourceLogs[\(resource)].scopeLogs[\(scope)].logRecords[\(index)]"
                            + ".severityNumber")
                }
            }
        }
    }
}

extension ExportLogsServiceResponse: OTLPMessage {
    package static var subject: String { "logs response" }

    package func convertIdentifiers(_: IdentifierConversion) {}

    package func checkEnumerations() {}
}

extension ScopeLogs {
    fileprivate mutating func convertIdentifiers(
        _ conversion: IdentifierConversion, at path: @autoclosure () -> String
    ) throws(OTLPError) {
        for index in logRecords.indices {
            try conversion(
                &logRecords[index].traceID, count: IdentifierConversion.traceBytes,
                at: "\(path()).logRecords[\(index)].traceId")
            try conversion(
                &logRecords[index].spanID, count: IdentifierConversion.spanBytes,
                at: "\(path()).logRecords[\(index)].spanId")
        }
    }
}
