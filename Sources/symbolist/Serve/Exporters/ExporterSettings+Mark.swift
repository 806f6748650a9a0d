import Exporting
import Ingest
import Kafka

extension ExporterSettings {
    /// The digest of the settings that may affect whether a dead letter is accepted.
    var mark: String {
        var values = [
            "type": kind.rawValue, "url": url ?? "", "path": path ?? "",
            "compression": compression.rawValue, "batch.bytes": "\(batchBytesLimit)",
            "timeout": "\(timeout)", "tls.ca": tls.authoritiesFile ?? "",
            "tls.certificate": tls.certificateFile ?? "", "tls.key": tls.keyFile ?? "",
            "tls.insecure": "\(tls.acceptsAnyCertificate)",
        ]
        if let kafka {
            values["kafka"] = kafka.connection.mark
            for signal in Signal.allCases { values["topics.\(signal)"] = kafka.topics[signal] }
        }
        for (name, value) in headers { values["headers.\(name)"] = value }
        for (signal, url) in signalURLs { values["\(signal)_url"] = url }
        return SettingsFingerprint(values).text
    }
}
