import Foundation
import Glibc
import TestSupport
import Testing

/// The exit code is that of wrong usage, after which a supervisor does not start the service again.
@Suite("Settings that are found to be invalid at startup", .ownThreads)
struct InvalidSettingTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func end(_ settings: [String]) async throws -> (status: Int32, lines: [String]) {
        let standard = ["http.port=0", "grpc.enabled=false"]
        let service = try ServedProcess(
            (standard + settings).flatMap { ["--set", $0] }, folder: folder)
        return await service.end()
    }

    @Test("an unusable certificate or key of the listeners is a problem of the configuration")
    func listeners() async throws {
        let certificate = try folder.write(TestCertificates.server, to: "server.pem")
        let key = try folder.write(TestCertificates.serverKey, to: "server.key")
        let otherKey = try folder.write(TestCertificates.clientKey, to: "client.key")
        let noPEM = try folder.write("hello", to: "hello.pem")
        func tls(_ certificate: String, _ key: String, _ more: String...) -> [String] {
            ["tls.certificate=\(certificate)", "tls.key=\(key)"] + more
        }
        for (settings, problem) in [
            (
                tls(certificate, otherKey),
                "tls.key: '\(otherKey)' is not the key of '\(certificate)'"
            ),
            (
                tls(noPEM, key),
                "tls.certificate: '\(noPEM)' contains no certificate: use a PEM file"
            ),
            (
                tls(certificate, noPEM),
                "tls.key: '\(noPEM)' contains no private key: use a PEM file"
            ),
            (tls(certificate, folder.path), "tls.key: '\(folder.path)' cannot be read ("),
            (
                tls(certificate, key, "tls.client_ca=\(noPEM)"),
                "tls.client_ca: '\(noPEM)' contains no certificate"
            ),
        ] {
            let end = try await end(settings)
            #expect(end.status == 2, "\(settings)")
            #expect(end.lines.count == 1)
            #expect(end.lines.first?.hasPrefix(problem) == true, "\(end.lines)")
        }
    }

    @Test("so are the files of exporters, databases, buckets, brokers and pages, all at once")
    func allFiles() async throws {
        let missing = folder.path + "/missing"
        let end = try await end([
            "export.0.url=https://127.0.0.1:1", "export.0.tls.ca=\(missing)",
            "export.0.tls.certificate=\(missing)", "export.0.tls.key=\(missing)",
            "export.1.type=kafka", "export.1.brokers=127.0.0.1:2",
            "export.1.security.protocol=sasl_plaintext", "export.1.sasl.user=me",
            "export.1.sasl.password_file=\(missing)", "database.url=postgres://127.0.0.1:1/a",
            "database.password_file=\(missing)", "blobs.url=s3://bucket/a",
            "blobs.access_key_id=id", "blobs.secret_key_file=\(missing)",
            "receive.kafka.brokers=127.0.0.1:1", "receive.kafka.security.protocol=ssl",
            "receive.kafka.tls.ca=\(missing)", "pages.key_file=\(missing)",
        ])
        #expect(end.status == 2)
        let keys = end.lines.map { $0.prefix { $0 != ":" } }
        #expect(
            keys == [
                "export[0].tls.ca", "export[0].tls.certificate", "export[1].sasl.password_file",
                "receive.kafka.tls.ca", "database.password_file", "blobs.secret_key_file",
                "pages.key_file",
            ])
        #expect(end.lines.allSatisfy { $0.contains(missing) }, "\(end.lines)")
    }

    @Test(
        "a setting that only the part that uses it can check is one as well",
        arguments: [
            ["export.0.url=http://127.0.0.1:1/v1/logs"],
            ["database.url=mysql://127.0.0.1/a", "blobs.url=s3://bucket/a"],
            ["database.url=postgres://127.0.0.1:1/a", "blobs.url=ftp://bucket"],
        ])
    func uses(settings: [String]) async throws {
        let end = try await end(settings)
        #expect(end.status == 2, "\(end.lines)")
    }

    @Test(
        "with JSON as the format of the log, every line is JSON",
        arguments: [
            ["http.prot=1"], ["tls.certificate=/nowhere", "tls.key=/nowhere"],
            ["http.host=host.invalid", "auth.anonymous=true"],
        ])
    func json(settings: [String]) async throws {
        let service = try ServedProcess(
            (["http.port=0", "grpc.enabled=false", "log.format=json"] + settings).flatMap {
                ["--set", $0]
            }, folder: folder, environment: ["SYMBOLIST_HTTP_PRT": "1"])
        let end = await service.end()
        #expect(end.status != 0)
        #expect(!end.lines.isEmpty)
        for line in end.lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            #expect((object as? [String: Any])?["message"] is String, "\(line)")
        }
        let last = try #require(end.lines.last)
        #expect(last.contains(#""level":"critical""#), "\(last)")
    }
}
