import Exporting
import Ingest
import NIOSSL
import TestSupport
import Testing

@Suite("OTLP over HTTPS", .ownThreads)
struct OTLPHTTPTLSTests {
    private func outcome(
        host: String = "localhost", asksForCertificate: Bool = false,
        _ set: (inout TLSSettings) -> Void
    ) async throws -> ExportOutcome {
        var chosen = TLSSettings()
        set(&chosen)
        let tls = chosen
        let server = try TestCertificates.serverConfiguration(
            asksForCertificate: asksForCertificate)
        return try await HTTPReceiver.run(tls: server) { _ in
            .init()
        } use: { port in
            try await withExporter(.otlpHTTP) {
                $0.url = "https://\(host):\(port)"
                $0.tls = tls
                $0.timeout = .seconds(600)
            } use: {
                await $0.send(Records.logs(["a"]))
            }
        }
    }

    @Test("the configured authority is trusted", arguments: ["localhost", "127.0.0.1"])
    func authority(host: String) async throws {
        let folder = try ScratchFolder()
        let path = try folder.file("ca.pem", TestCertificates.authority)
        let outcome = try await outcome(host: host) { $0.authoritiesFile = path }
        #expect(outcome == .accepted(rejectedCount: 0, message: ""))
    }

    @Test("an untrusted certificate is rejected, unless the settings accept any")
    func unknownAuthority() async throws {
        guard case .retry = try await outcome({ _ in }) else {
            Issue.record("an unknown certificate was taken")
            return
        }
        let outcome = try await outcome { $0.acceptsAnyCertificate = true }
        #expect(outcome == .accepted(rejectedCount: 0, message: ""))
    }

    @Test("the exporter presents its own certificate")
    func clientCertificate() async throws {
        let folder = try ScratchFolder()
        let authority = try folder.file("ca.pem", TestCertificates.authority)
        let certificate = try folder.file("client.pem", TestCertificates.client)
        let key = try folder.file("client.key", TestCertificates.clientKey)
        let without = try await outcome(asksForCertificate: true) {
            $0.authoritiesFile = authority
        }
        guard case .retry = without else {
            Issue.record("no certificate was asked for")
            return
        }
        let outcome = try await outcome(asksForCertificate: true) {
            $0.authoritiesFile = authority
            $0.certificateFile = certificate
            $0.keyFile = key
        }
        #expect(outcome == .accepted(rejectedCount: 0, message: ""))
    }
}
