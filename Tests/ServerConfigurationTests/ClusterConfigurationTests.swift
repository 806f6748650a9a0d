import Testing

@testable import ServerConfiguration

@Suite("Settings of several nodes")
struct ClusterConfigurationTests {
    private static let cluster = """
        database: { url: "postgres://db/symbolist" }
        blobs: { url: "s3://bucket/prefix" }
        export: [{ url: "http://backend:4318" }]

        """

    private func configuration(_ text: String = "") throws -> ServerConfiguration {
        try load(Self.cluster + text).configuration
    }

    private func fingerprint(_ text: String = "") throws -> [UInt8] {
        try #require(try configuration(text).cluster).settingsFingerprint
    }

    @Test("archive, queue and payload keys have defaults, and are read")
    func values() throws {
        let standard = try #require(try configuration().cluster)
        #expect(
            standard.archive == .init(bytes: 8 << 20, delay: .seconds(60), lagBytes: 200 << 30))
        #expect(standard.queueBytes == 20 << 30)
        #expect(standard.payloadKeyAge == .seconds(2 * 86_400))
        let own = try #require(
            try configuration(
                """
                archive: { bytes: 1MiB, delay: 1s, lag_bytes: 2GiB }
                cluster: { queue_bytes: 3GiB }
                retention: { payload_keys: 1h }
                """
            ).cluster)
        #expect(own.archive == .init(bytes: 1 << 20, delay: .seconds(1), lagBytes: 2 << 30))
        #expect(own.queueBytes == 3 << 30)
        #expect(own.payloadKeyAge == .seconds(3_600))
    }

    @Test("objects are neither tiny nor too large for memory", arguments: ["1023KiB", "65MiB"])
    func archiveBytes(size: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try configuration("archive: { bytes: \(size) }")
        }
        #expect(
            error?.description
                == "symbolist.yaml:4: archive.bytes: '\(size)' is too "
                + "\(size == "65MiB" ? "large" : "small"): use 1MiB to 64MiB")
    }

    @Test("diagnostics have no limit in bytes unless it is set")
    func diagnosticsBytes() throws {
        #expect(try configuration().fitted(toDiskOf: 4 << 30).retention.diagnosticsBytes == .max)
        #expect(try configuration().fitted(toDiskOf: nil).retention.diagnosticsBytes == .max)
        let limited = try configuration("retention: { diagnostics_bytes: 5GiB }")
        #expect(limited.fitted(toDiskOf: 4 << 30).retention.diagnosticsBytes == 5 << 30)
    }

    @Test(
        "the fingerprint depends on what has to be equal",
        arguments: [
            "hold: 5s", "http: { hosts: [a.example.com] }", "stacktrace: { format: json }",
            "resend: { system: true }", "limits: { frames: 9 }", "archive: { delay: 1s }",
        ])
    func shared(text: String) throws {
        #expect(try fingerprint() != fingerprint(text))
    }

    @Test(
        "the fingerprint does not depend on what is the node's, nor on defaults that are given",
        arguments: [
            "data: elsewhere", "cluster: { node: a }", "http: { port: 1 }", "workers: 3",
            "log: { level: debug }", "hold: 0s", "limits: { queue_bytes: 9MiB }",
        ])
    func own(text: String) throws {
        #expect(try fingerprint() == fingerprint(text))
    }

    @Test("the node's own settings are in the table")
    func table() {
        let keys = Set(SettingTable.settings.map(\.key))
        #expect(SettingTable.ownSettings.subtracting(keys) == [])
    }
}
