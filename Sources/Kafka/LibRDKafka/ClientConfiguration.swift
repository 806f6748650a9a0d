import Problems

/// The configuration of a client that is about to be created, `rd_kafka_conf_t`.
@safe
struct ClientConfiguration {
    enum Kind: Int32 {
        case producer = 0
        case consumer = 1
    }

    private static let reasonLength = 512

    let library: LibRDKafka
    let handle: OpaquePointer

    /// - Throws: ``KafkaError`` with the reason `invalidSettings` if librdkafka refuses a property.
    init(_ library: LibRDKafka, properties: [String: String]) throws(KafkaError) {
        guard let handle = unsafe library.newConfiguration() else {
            throw Self.invalid("cannot be configured: out of memory")
        }
        self.library = library
        unsafe self.handle = handle
        // By default, librdkafka writes log messages to standard error.
        unsafe library.setLog(handle) { _, _, _, _ in }
        for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
            var reason = [CChar](repeating: 0, count: Self.reasonLength)
            guard unsafe library.set(handle, name, value, &reason, reason.count) == 0 else {
                unsafe library.destroyConfiguration(handle)
                throw Self.invalid(Self.text(reason))
            }
        }
    }

    /// Creates a client, which owns the configuration from then on.
    ///
    /// - Parameter state: The object that callbacks report to. It must outlive the client.
    func client(
        _ kind: Kind, reportingTo state: UnsafeMutableRawPointer
    ) throws(KafkaError) -> OpaquePointer {
        unsafe library.setOpaque(handle, state)
        var reason = [CChar](repeating: 0, count: Self.reasonLength)
        let client = unsafe library.newClient(kind.rawValue, handle, &reason, reason.count)
        guard let client = unsafe client else {
            unsafe library.destroyConfiguration(handle)
            throw Self.invalid(Self.text(reason))
        }
        return unsafe client
    }

    /// The settings by the librdkafka properties that its error messages name.
    private static let settings = [
        "ssl.ca.location": "tls.ca", "ssl.certificate.location": "tls.certificate",
        "ssl.key.location": "tls.key", "sasl.mechanism": "sasl.mechanism",
        "sasl.username": "sasl.user", "sasl.password": "sasl.password_file",
        "bootstrap.servers": "brokers", "client.id": "client_id",
        "security.protocol": "security.protocol",
    ]

    private static func invalid(_ detail: String) -> KafkaError {
        let keys = settings.filter { detail.contains($0.key) }.values.sorted()
        let suggestion = keys.isEmpty ? nil : "check \(keys.joined(separator: " and "))"
        return KafkaError(
            .invalidSettings, Problem("kafka", detail: detail, suggestion: suggestion))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
