/// The brokers of Kafka, how to connect to them, and the topics of the signals.
public struct KafkaConfiguration: Hashable, Sendable {
    public enum SecurityProtocol: String, Sendable, CaseIterable {
        case plaintext, ssl
        case saslPlaintext = "sasl_plaintext"
        case saslSSL = "sasl_ssl"

        var usesSASL: Bool { self == .saslPlaintext || self == .saslSSL }
        var usesTLS: Bool { self == .ssl || self == .saslSSL }
    }

    /// `HOST:PORT,HOST:PORT`.
    public var brokers: String
    public var logsTopic: String
    public var tracesTopic: String
    public var metricsTopic: String
    public var clientID: String
    public var security: SecurityProtocol
    public var mechanism: String
    public var user: String?
    public var passwordFile: String?
    public var tls: ExporterConfiguration.ClientTLS
}

extension KafkaConfiguration {
    private static let tlsKeys = ["tls.ca", "tls.certificate", "tls.key", "tls.insecure"]
    private static let saslKeys = ["sasl.mechanism", "sasl.user", "sasl.password_file"]

    /// - Parameter prefix: The start of the keys, such as `receive.kafka.`, or nothing in a list.
    init(
        _ reader: SettingReader, brokers: String, prefix: String = ""
    ) throws(SettingProblem) {
        self.brokers = try Self.addresses(brokers, reader, "\(prefix)brokers")
        logsTopic = reader.value("\(prefix)topics.logs") { $0 }
        tracesTopic = reader.value("\(prefix)topics.traces") { $0 }
        metricsTopic = reader.value("\(prefix)topics.metrics") { $0 }
        clientID = reader.value("\(prefix)client_id") { $0 }
        security = reader.value("\(prefix)security.protocol", SecurityProtocol.init(rawValue:))
        mechanism = reader.value("\(prefix)sasl.mechanism") { $0 }
        user = reader.text("\(prefix)sasl.user")
        passwordFile = reader.text("\(prefix)sasl.password_file")
        tls = try ExporterConfiguration.ClientTLS(reader, prefix: prefix)
        try checkTopics(reader, prefix)
        try checkSecurity(reader, prefix)
    }

    /// Returns addresses without spaces.
    private static func addresses(
        _ text: String, _ reader: SettingReader, _ key: String
    ) throws(SettingProblem) -> String {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            String(part.filter { !$0.isWhitespace })
        }
        for part in parts {
            let port = part.split(separator: ":").last.flatMap { UInt16($0) }
            guard part.contains(":"), !part.hasPrefix(":"), !part.contains("/"), port != nil else {
                throw reader.problem(
                    key, "'\(part)' is not HOST:PORT", suggestion: "use kafka1:9092,kafka2:9092")
            }
        }
        return parts.joined(separator: ",")
    }

    /// Rejects a topic that is shared by two signals, because the topic is the only indication of a
    /// message's signal.
    private func checkTopics(_ reader: SettingReader, _ prefix: String) throws(SettingProblem) {
        let topics = [logsTopic, tracesTopic, metricsTopic]
        guard Set(topics).count == topics.count else {
            throw reader.problem(
                "\(prefix)topics", "names the same topic for two signals",
                suggestion: "use a separate topic for each")
        }
        let isName: (String) -> Bool = { topic in
            topic.utf8.count <= 249
                && topic.allSatisfy {
                    $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))
                }
        }
        if let topic = topics.first(where: { !isName($0) }) {
            throw reader.problem(
                "\(prefix)topics", "'\(topic)' is not the name of a topic",
                suggestion: "use letters, digits, '.', '_' and '-'")
        }
    }

    private func checkSecurity(_ reader: SettingReader, _ prefix: String) throws(SettingProblem) {
        let key = "\(prefix)security.protocol"
        if security.usesSASL, user == nil || passwordFile == nil {
            throw reader.problem(
                key, "needs a user and a password",
                suggestion: "set \(prefix)sasl.user and \(prefix)sasl.password_file")
        }
        let unused =
            (security.usesSASL ? [] : Self.saslKeys) + (security.usesTLS ? [] : Self.tlsKeys)
        if let name = unused.map({ prefix + $0 }).first(where: reader.isGiven) {
            throw reader.problem(
                name, "does not apply to security.protocol '\(security.rawValue)'",
                suggestion: "set \(key), or remove it")
        }
    }
}
