/// The settings of nodes that consume from Kafka.
extension SettingTable {
    static let stream: [Setting] =
        kafka(below: "receive.kafka") + [
            Setting(
                "receive.kafka.group", .text, default: "symbolist",
                summary: "Consumer group of all nodes"),
            Setting(
                "receive.kafka.tls.ca", .path,
                summary: "CA certificates (PEM) to trust instead of the system's"),
            Setting("receive.kafka.tls.certificate", .path, summary: "Client certificate (PEM)"),
            Setting(
                "receive.kafka.tls.key", .path, summary: "Private key (PEM) of the certificate"),
            Setting(
                "receive.kafka.tls.insecure", .boolean, default: "false",
                summary: "Accept any certificate (insecure: allows interception)"),
        ]
}
