/// The settings of connections to Kafka.
extension SettingTable {
    /// - Parameter group: The keys before theirs, such as `export[]`.
    static func kafka(below group: String) -> [Setting] {
        [
            Setting(
                "\(group).brokers", .text,
                summary:
                    "Initial Kafka brokers, as `HOST:PORT,HOST:PORT`; the others are discovered"),
            Setting(
                "\(group).topics.logs", .text, default: "otlp_logs",
                summary: "Topic for logs, as `ExportLogsServiceRequest` in protobuf"),
            Setting(
                "\(group).topics.traces", .text, default: "otlp_spans",
                summary: "Topic for traces, as `ExportTraceServiceRequest`"),
            Setting(
                "\(group).topics.metrics", .text, default: "otlp_metrics",
                summary: "Topic for metrics, as `ExportMetricsServiceRequest`"),
            Setting(
                "\(group).client_id", .text, default: "symbolist",
                summary: "Name of the client in the brokers' logs and quotas"),
            Setting(
                "\(group).security.protocol",
                .choice(["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"]), default: "plaintext",
                summary: "Encryption and authentication of connections to the brokers"),
            Setting(
                "\(group).sasl.mechanism", .choice(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]),
                default: "PLAIN", summary: "SASL mechanism for authentication with the brokers"),
            Setting("\(group).sasl.user", .text, summary: "User of the brokers"),
            Setting(
                "\(group).sasl.password_file", .path, summary: "File with the password of the user"
            ),
        ]
    }
}
