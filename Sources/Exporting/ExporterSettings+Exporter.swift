public import Ingest

extension ExporterSettings {
    /// The exporter that these settings describe.
    ///
    /// Reads certificates, and opens and repairs the file; connects to nothing yet.
    ///
    /// - Parameter key: Where in the configuration the settings stand, for errors: `export[0]`.
    public func exporter(key: String) throws(ExporterSettingsError) -> any Exporter {
        let checks = SettingsChecks(settings: self, key: key)
        try checks()
        return switch kind {
        case .otlpHTTP: try OTLPHTTPExporter(checks)
        case .otlpGRPC: try OTLPGRPCExporter(checks)
        case .file: try FileExporter(checks)
        case .standardOutput: StandardOutputExporter(self)
        }
    }
}
