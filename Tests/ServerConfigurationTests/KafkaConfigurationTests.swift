import Testing

@testable import ServerConfiguration

@Suite("Settings of Kafka")
struct KafkaConfigurationTests {
    private static let shared = """
        database: { url: "postgres://db/symbolist" }
        blobs: { url: "s3://bucket/prefix" }

        """

    private func error(_ text: String) -> String? {
        let error = #expect(throws: ConfigurationError.self) { try load(text) }
        return error?.description
    }

    @Test("an exporter needs only brokers")
    func shortest() throws {
        let export = try #require(
            try load("export: [{ type: kafka, brokers: \"a:9092, b:9093\" }]").configuration
                .exports.first)
        #expect(export.name == "kafka:a:9092,b:9093")
        #expect(
            export.destination
                == .kafka(
                    KafkaConfiguration(
                        brokers: "a:9092,b:9093", logsTopic: "otlp_logs",
                        tracesTopic: "otlp_spans", metricsTopic: "otlp_metrics",
                        clientID: "symbolist", security: .plaintext, mechanism: "PLAIN",
                        tls: .init(acceptsAnyCertificate: false)),
                    compression: .none, timeout: .seconds(10)))
        #expect(!export.isLocal)
    }

    @Test("every setting of an exporter is read")
    func longest() throws {
        let export = try #require(
            try load(
                """
                export:
                  - name: main
                    type: kafka
                    brokers: kafka:9092
                    topics: { logs: l, traces: t, metrics: m }
                    client_id: me
                    security: { protocol: sasl_ssl }
                    sasl: { mechanism: SCRAM-SHA-512, user: u, password_file: p }
                    tls: { ca: a.pem, certificate: c.pem, key: k.pem, insecure: true }
                    compression: gzip
                    timeout: 3s
                """
            ).configuration.exports.first)
        #expect(
            export.destination
                == .kafka(
                    KafkaConfiguration(
                        brokers: "kafka:9092", logsTopic: "l", tracesTopic: "t",
                        metricsTopic: "m", clientID: "me", security: .saslSSL,
                        mechanism: "SCRAM-SHA-512", user: "u", passwordFile: "p",
                        tls: .init(
                            authorities: "a.pem", certificate: "c.pem", key: "k.pem",
                            acceptsAnyCertificate: true)),
                    compression: .gzip, timeout: .seconds(3)))
    }

    @Test(
        "mistakes are found",
        arguments: [
            (
                "{ type: kafka }", "export[0]: has no brokers: set brokers to HOST:PORT"
            ),
            (
                "{ type: kafka, brokers: kafka }",
                "export[0].brokers: 'kafka' is not HOST:PORT: use kafka1:9092,kafka2:9092"
            ),
            (
                "{ type: kafka, brokers: \"a:1\", topics: { logs: x, traces: x } }",
                "export[0].topics: names the same topic for two signals: use a separate topic for each"
            ),
            (
                "{ type: kafka, brokers: \"a:1\", topics: { logs: \"a b\" } }",
                """
                export[0].topics: 'a b' is not the name of a topic: use letters, digits, '.', '_' \
                and '-'
                """
            ),
            (
                "{ type: kafka, brokers: \"a:1\", security: { protocol: sasl_ssl } }",
                """
                export[0].security.protocol: needs a user and a password: set sasl.user and \
                sasl.password_file
                """
            ),
            (
                "{ type: kafka, brokers: \"a:1\", tls: { ca: a.pem } }",
                """
                export[0].tls.ca: does not apply to security.protocol 'plaintext': set \
                security.protocol, or remove it
                """
            ),
            (
                "{ type: kafka, brokers: \"a:1\", url: \"http://a\" }",
                "export[0].url: does not apply to type 'kafka': remove one of them"
            ),
            (
                "{ url: \"http://a\", brokers: \"a:1\" }",
                "export[0].brokers: does not apply to type 'otlp_http': remove one of them"
            ),
        ])
    func mistakes(export: String, message: String) throws {
        let text = try #require(error("export: [\(export)]"))
        #expect(text.contains(message), "\(text)")
    }

    @Test("the stream has defaults, and is read")
    func stream() throws {
        let stream = try #require(
            try load(
                Self.shared + """
                    export: [{ url: "http://backend:4318" }]
                    receive: { kafka: { brokers: "kafka:9092", topics: { logs: l } } }
                    """
            ).configuration.stream)
        #expect(stream.group == "symbolist")
        #expect(stream.kafka.brokers == "kafka:9092")
        #expect(stream.kafka.logsTopic == "l")
        #expect(stream.kafka.tracesTopic == "otlp_spans")
        #expect(try load(Self.shared).configuration.stream == nil)
    }

    @Test("a stream needs a database, a bucket and an exporter")
    func incomplete() throws {
        let receive = "receive: { kafka: { brokers: \"kafka:9092\" } }\n"
        let alone = try #require(error(receive + "export: [{ url: \"http://a\" }]"))
        #expect(
            alone.contains(
                """
                receive.kafka.brokers: is set without database.url and blobs.url: set both, or \
                remove receive.kafka
                """), "\(alone)")
        let idle = try #require(error(Self.shared + receive))
        #expect(idle.contains("receive.kafka.brokers: is set without an exporter"), "\(idle)")
        let group = try #require(error("receive: { kafka: { group: g } }"))
        #expect(
            group.contains("receive.kafka.group: has no effect without receive.kafka.brokers"),
            "\(group)")
    }

    @Test("an exporter must not write to a topic of the stream")
    func loop() throws {
        let text =
            Self.shared + """
                receive: { kafka: { brokers: "a:1,b:1" } }
                export: [{ type: kafka, brokers: "b:1" TOPICS }]
                """
        let loop = try #require(error(text.replacing("TOPICS", with: "")))
        #expect(loop.contains("has a topic that exporter 'kafka:b:1' writes to"), "\(loop)")
        let others = ", topics: { logs: x, traces: y, metrics: z }"
        #expect(
            try load(text.replacing("TOPICS", with: others)).configuration.stream != nil)
    }
}
