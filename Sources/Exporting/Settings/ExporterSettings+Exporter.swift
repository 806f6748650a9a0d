public import Ingest

extension ExporterSettings {
    /// Creates the exporter that these settings describe.
    ///
    /// Reads certificates, and opens and repairs the file, but does not connect yet.
    ///
    /// - Parameter key: The key of the settings in the configuration, for errors: `export[0]`.
    public func exporter(key: String) throws(ExporterSettingsError) -> any Exporter {
        let validator = ExporterSettingsValidator(settings: self, key: key)
        try validator.validate()
        return switch kind {
        case .otlpHTTP: try OTLPHTTPExporter(validator)
        case .otlpGRPC: try OTLPGRPCExporter(validator)
        case .kafka: try KafkaExporter(validator)
        case .file: try FileExporter(validator)
        case .standardOutput: StandardOutputExporter(self)
        }
    }
}
