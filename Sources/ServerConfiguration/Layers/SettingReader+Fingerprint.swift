import Crypto

extension SettingTable {
    /// The settings that may differ between the nodes of a cluster: a node's addresses, files,
    /// credentials, and limits of its own resources.
    static let ownSettings: Set<String> = [
        "data", "http.host", "http.port", "grpc.host", "grpc.port", "tls.certificate", "tls.key",
        "tls.client_ca", "auth.tokens[].token_file", "pages.key_file", "pages.dropped",
        "export[].tls.ca", "export[].tls.certificate", "export[].tls.key",
        "export[].sasl.password_file", "limits.queue_bytes",
        "limits.free_bytes", "limits.mapped_bytes", "limits.memory", "limits.child_cpu",
        "limits.children", "limits.connections", "limits.connections_per_client",
        "limits.uploads", "limits.request_seconds", "database.url", "database.password_file",
        "database.connections", "database.migrate", "blobs.endpoint", "blobs.access_key_id",
        "blobs.secret_key_file", "blobs.timeout", "cache.bytes", "cache.wait", "cluster.node",
        "receive.kafka.brokers", "receive.kafka.client_id", "receive.kafka.sasl.password_file",
        "receive.kafka.tls.ca", "receive.kafka.tls.certificate", "receive.kafka.tls.key",
        "workers", "log.level", "log.format", "tracing.url",
    ]
}

extension SettingReader {
    /// A digest of the settings that must be equal on all nodes of a cluster. A setting with its
    /// default value counts the same whether it was set or not.
    var sharedFingerprint: [UInt8] {
        var hash = SHA256()
        for (key, texts) in sharedSettings.sorted(by: { $0.key < $1.key }) {
            for text in [key] + texts { hash.update(data: Array(text.utf8) + [0]) }
            hash.update(data: [0])
        }
        return Array(hash.finalize())
    }

    private var sharedSettings: [String: [String]] {
        let shared = SettingTable.settings.filter { !SettingTable.ownSettings.contains($0.key) }
        let lists = Set(shared.map(\.key).filter { $0.contains("[]") })
        var settings = givenTexts.filter { lists.contains($0.key.tableKey) }
        for setting in shared where !lists.contains(setting.key) {
            settings[setting.key] =
                givenTexts[setting.key] ?? setting.defaultValue.map { [$0] } ?? []
        }
        return settings
    }
}
