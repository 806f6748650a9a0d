import Ingest
import Problems

/// Validates the settings of an exporter. Each error names the key at fault.
///
/// The reader of the configuration rejects keys that do not apply to the type of an exporter, so
/// settings have none.
struct ExporterSettingsValidator {
    let settings: ExporterSettings
    /// The key of the exporter's settings, such as `export[0]`.
    let key: String

    func error(
        _ field: String, detail: String, suggestion: String? = nil
    ) -> ExporterSettingsError {
        ExporterSettingsError(
            problem: Problem("\(key).\(field)", detail: detail, suggestion: suggestion))
    }

    func validate() throws(ExporterSettingsError) {
        try checkName()
        try checkHeaders()
        try checkLimits()
        try checkRetry()
        try checkTLS()
    }

    private func checkName() throws(ExporterSettingsError) {
        let name = settings.name
        guard (1...1_024).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 }) else {
            throw error(
                "name", detail: "is '\(name)'", suggestion: "use 1 to 1024 bytes without spaces")
        }
        guard name != JournalReaders.worker else {
            throw error("name", detail: "'\(name)' is reserved", suggestion: "use another name")
        }
    }

    private func checkHeaders() throws(ExporterSettingsError) {
        for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) {
            let field = "headers.\(name)"
            guard !name.isEmpty, name.utf8.allSatisfy(isHeaderNameCharacter) else {
                throw error(
                    field, detail: "is not a header name", suggestion: "use letters, digits and '-'"
                )
            }
            if isOwnHeader(name.lowercased()) {
                throw error(field, detail: "is set by the exporter", suggestion: "remove it")
            }
            guard value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
                throw error(
                    field, detail: "has a character that is not allowed in a header",
                    suggestion: "use printable ASCII")
            }
        }
    }

    private func isHeaderNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func isOwnHeader(_ name: String) -> Bool {
        // gRPC reads values of names that end in "-bin" as base64.
        name.hasPrefix("grpc-") || name.hasSuffix("-bin")
            || [
                "content-type", "content-encoding", "content-length", "transfer-encoding", "host",
                "te", "connection",
            ].contains(name)
    }

    private func checkLimits() throws(ExporterSettingsError) {
        try check(
            "timeout", value: settings.timeout, isWithin: .milliseconds(1)...(.seconds(3_600)))
        guard (1...(1 << 30)).contains(settings.batchBytesLimit) else {
            throw error(
                "batch.bytes", detail: "is \(settings.batchBytesLimit)",
                suggestion: "use 1 to 1073741824")
        }
        try check("batch.records", value: settings.loop.batchRecordLimit, isWithin: 1...1_000_000)
        try check("batch.delay", value: settings.loop.fillWait, isWithin: .zero...(.seconds(600)))
        try check("batch.in_flight", value: settings.loop.inFlightLimit, isWithin: 1...64)
        guard let rotation = settings.rotation else { return }
        guard rotation.bytesLimit > 0 else {
            throw error(
                "rotate.bytes", detail: "is \(rotation.bytesLimit)", suggestion: "use at least 1")
        }
        try check("rotate.keep", value: rotation.keptFileCount, isWithin: 1...1_000)
    }

    private func checkRetry() throws(ExporterSettingsError) {
        let retry = settings.loop.retry
        let hour = Duration.seconds(3_600)
        try check("retry.initial", value: retry.initialWait, isWithin: .milliseconds(1)...hour)
        try check("retry.max", value: retry.longestWait, isWithin: retry.initialWait...hour)
        try check(
            "retry.max_asked", value: retry.longestRequestedWait, isWithin: .zero...(hour * 24))
        guard let elapsed = retry.maxElapsed else { return }
        try check("retry.max_elapsed", value: elapsed, isWithin: .zero...(.seconds(366 * 86_400)))
    }

    private func checkTLS() throws(ExporterSettingsError) {
        let tls = settings.tls
        if tls.keyFile != nil, tls.certificateFile == nil {
            throw error(
                "tls.certificate", detail: "is missing",
                suggestion: "set the certificate of tls.key")
        }
        if tls.certificateFile != nil, tls.keyFile == nil {
            throw error(
                "tls.key", detail: "is missing", suggestion: "set the key of tls.certificate")
        }
    }

    private func check<Value: Comparable & Sendable>(
        _ field: String, value: Value, isWithin range: ClosedRange<Value>
    ) throws(ExporterSettingsError) {
        guard range.contains(value) else {
            throw error(
                field, detail: "is \(value)",
                suggestion: "use \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
