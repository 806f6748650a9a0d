import Ingest
import Problems

/// Validates the settings of an exporter. Each error names the key at fault.
///
/// The reader of the configuration rejects keys that do not apply to the type of an exporter, and
/// values outside of the ranges in its table of settings.
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
}
