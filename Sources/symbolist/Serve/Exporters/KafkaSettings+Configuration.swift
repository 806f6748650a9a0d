import Ingest
import Kafka
import ServerConfiguration

extension KafkaSettings {
    init(_ configuration: KafkaConfiguration) {
        self.init(brokers: configuration.brokers)
        clientID = configuration.clientID
        security =
            switch configuration.security {
            case .plaintext: .plaintext
            case .ssl: .ssl
            case .saslPlaintext: .saslPlaintext
            case .saslSSL: .saslSSL
            }
        mechanism = Mechanism(rawValue: configuration.mechanism) ?? .plain
        user = configuration.user
        passwordFile = configuration.passwordFile
        authoritiesFile = configuration.tls.authorities
        certificateFile = configuration.tls.certificate
        keyFile = configuration.tls.key
        acceptsAnyCertificate = configuration.tls.acceptsAnyCertificate
    }

    /// The settings that may affect whether a message is accepted, as text.
    var mark: String {
        [brokers, security.rawValue, mechanism.rawValue, user ?? "", passwordFile ?? ""]
            .joined(separator: "\n")
    }
}

extension KafkaConfiguration {
    var topics: SignalTable<String> {
        SignalTable(logs: logsTopic, traces: tracesTopic, metrics: metricsTopic)
    }
}
