import ClientLibraries
import Problems

/// The brokers, and how to connect to them.
///
/// It contains no password.
public struct KafkaSettings: Hashable, Sendable {
    public enum SecurityProtocol: String, Sendable, CaseIterable {
        case plaintext, ssl
        case saslPlaintext = "sasl_plaintext"
        case saslSSL = "sasl_ssl"

        public var usesSASL: Bool { self == .saslPlaintext || self == .saslSSL }
        public var usesTLS: Bool { self == .ssl || self == .saslSSL }
    }

    /// The SASL mechanism of password authentication.
    public enum Mechanism: String, Sendable, CaseIterable {
        case plain = "PLAIN"
        case scramSHA256 = "SCRAM-SHA-256"
        case scramSHA512 = "SCRAM-SHA-512"
    }

    /// Addresses of bootstrap brokers, `HOST:PORT,HOST:PORT`. The other brokers are discovered from
    /// them.
    public var brokers: String
    public var clientID = "symbolist"
    public var security = SecurityProtocol.plaintext
    public var mechanism = Mechanism.plain
    public var user: String?
    /// The path of a file with the user's password, which is read for each client.
    public var passwordFile: String?
    /// Trusted certificates in PEM, instead of the system's.
    public var authoritiesFile: String?
    /// The client's certificate and its private key, in PEM.
    public var certificateFile: String?
    public var keyFile: String?
    /// Whether any certificate is accepted, which allows interception.
    public var acceptsAnyCertificate = false
    /// Properties of librdkafka that replace the others.
    var properties: [String: String] = [:]

    public init(brokers: String) { self.brokers = brokers }

    /// The properties of librdkafka for any client.
    ///
    /// - Throws: ``KafkaError`` with the reason `invalidSettings` if the password cannot be read.
    func connectionProperties() throws(KafkaError) -> [String: String] {
        var values = [
            "bootstrap.servers": brokers, "client.id": clientID,
            "security.protocol": security.rawValue, "socket.keepalive.enable": "true",
            "socket.timeout.ms": "10000", "socket.connection.setup.timeout.ms": "5000",
            "reconnect.backoff.max.ms": "2000", "log.connection.close": "false",
        ]
        if security.usesSASL {
            values["sasl.mechanism"] = mechanism.rawValue
            values["sasl.username"] = user
            if let passwordFile {
                values["sasl.password"] = try Self.password(in: passwordFile)
            }
        }
        if security.usesTLS {
            values["ssl.ca.location"] = authoritiesFile
            values["ssl.certificate.location"] = certificateFile
            values["ssl.key.location"] = keyFile
            values["enable.ssl.certificate.verification"] = "\(!acceptsAnyCertificate)"
            // Before version 2.0, librdkafka accepts a certificate of another host by default.
            values["ssl.endpoint.identification.algorithm"] =
                acceptsAnyCertificate ? "none" : "https"
        }
        return values
    }

    private static func password(in path: String) throws(KafkaError) -> String {
        do throws(PasswordFileError) {
            return try PasswordFile(path: path).password()
        } catch {
            throw KafkaError(
                .invalidSettings,
                Problem(path, detail: error.detail, suggestion: "check sasl.password_file"))
        }
    }
}
