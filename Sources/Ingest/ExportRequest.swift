import OTLP
import StackRendering

extension ExportBatch {
    /// Log records on their way out; none where there is no record.
    ///
    /// - Throws: Where the request cannot be written, being larger than protobuf allows.
    init?(_ request: ExportLogsServiceRequest, recordCount: Int) throws(OTLPError) {
        guard recordCount > 0 else { return nil }
        self.init(
            signal: .logs, body: try request.encoded(as: .protobuf), recordCount: recordCount)
    }
}

extension ExportLogsServiceRequest {
    /// Takes records out, by their positions in the whole request.
    mutating func removeRecords(at positions: Set<Int>) {
        keepRecords { !positions.contains($0) }
    }

    /// Keeps the records whose positions fulfil a condition, with their resources and scopes.
    mutating func keepRecords(where isKept: (Int) -> Bool) {
        var position = 0
        for resource in resourceLogs.indices {
            for scope in resourceLogs[resource].scopeLogs.indices {
                resourceLogs[resource].scopeLogs[scope].logRecords.removeAll { _ in
                    defer { position += 1 }
                    return !isKept(position)
                }
            }
            resourceLogs[resource].scopeLogs.removeAll { $0.logRecords.isEmpty }
        }
        resourceLogs.removeAll { $0.scopeLogs.isEmpty }
    }

    /// Sets the numbers of revisions, by the positions of records in the whole request.
    mutating func setRevisions(_ numbers: [Int: Int]) {
        guard !numbers.isEmpty else { return }
        var position = 0
        changeRecords { record in
            defer { position += 1 }
            guard let number = numbers[position] else { return }
            record.attributes.set(AttributeKeys.revision, Int64(number))
        }
    }

    mutating func changeRecords(_ change: (inout OTLP.LogRecord) -> Void) {
        for resource in resourceLogs.indices {
            for scope in resourceLogs[resource].scopeLogs.indices {
                for record in resourceLogs[resource].scopeLogs[scope].logRecords.indices {
                    change(&resourceLogs[resource].scopeLogs[scope].logRecords[record])
                }
            }
        }
    }
}
