import Exporting
import Ingest
import Problems
import TestSupport
import Testing

@Suite("Settings of exporters", .ownThreads)
struct ExporterSettingsTests {
    private func problem(
        _ kind: ExporterSettings.Kind, _ set: (inout ExporterSettings) throws -> Void
    ) rethrows -> String {
        var settings = ExporterSettings(kind: kind, name: "main")
        if kind == .otlpHTTP || kind == .otlpGRPC { settings.url = "http://localhost:1" }
        try set(&settings)
        do throws(ExporterSettingsError) { _ = try settings.exporter(key: "export[2]") } catch {
            return error.description
        }
        return ""
    }

    @Test("names are single lines, and not the worker's")
    func names() {
        for name in ["prod-1.eu_x", "http://collector:4318", "/var/log/é.jsonl"] {
            #expect(problem(.standardOutput) { $0.name = name } == "")
        }
        for name in ["", "a b", "a\nb", String(repeating: "a", count: 1_025)] {
            let problem = problem(.standardOutput) { $0.name = name }
            #expect(problem.hasPrefix("export[2].name: is '\(name)'"))
        }
        let worker = problem(.standardOutput) { $0.name = "worker" }
        #expect(worker.hasPrefix("export[2].name: 'worker' is reserved"))
    }

    @Test(
        "URLs are complete",
        arguments: [
            ("localhost:4318", "is not a URL"), ("ftp://h", "is not a URL"),
            ("http://", "is not a URL"), ("", "is not a URL"),
            ("http://u:p@h", "holds a user or a password"),
            ("http://h/v1/logs", "ends in '/v1/logs'"),
            ("http://h/v1/logs/", "ends in '/v1/logs'"), ("http://h:99999", "has a fragment, or"),
            ("http://h#x", "has a fragment, or"),
        ])
    func addresses(url: String, text: String) {
        let problem = problem(.otlpHTTP) { $0.url = url }
        #expect(problem.hasPrefix("export[2].url: \(text)"))
    }

    @Test("a missing key is named")
    func missing() {
        #expect(problem(.otlpHTTP) { $0.url = nil }.hasPrefix("export[2].url: is missing"))
        #expect(problem(.otlpGRPC) { $0.url = nil }.hasPrefix("export[2].url: is missing"))
        #expect(problem(.file) { _ in }.hasPrefix("export[2].path: is missing"))
        let onlyOne = problem(.otlpHTTP) {
            $0.url = nil
            $0.signalURLs[.logs] = "http://h/logs"
        }
        #expect(onlyOne.hasPrefix("export[2].url: is missing"))
        let certificate = problem(.otlpHTTP) { $0.tls.keyFile = "/k" }
        #expect(certificate.hasPrefix("export[2].tls.certificate: is missing"))
        let key = problem(.otlpHTTP) { $0.tls.certificateFile = "/c" }
        #expect(key.hasPrefix("export[2].tls.key: is missing"))
    }

    @Test("a URL of gRPC has only a host and a port")
    func target() {
        let path = problem(.otlpGRPC) { $0.url = "http://h/v1" }
        #expect(path.hasPrefix("export[2].url: has more than a host and a port"))
    }

    @Test("headers are valid, and not the exporter's own")
    func headers() {
        func problem(_ name: String, _ value: String) -> String {
            self.problem(.otlpHTTP) { $0.headers[name] = value }
        }
        #expect(problem("x-api-key", "a b;c=d") == "")
        #expect(problem("a b", "c").hasPrefix("export[2].headers.a b: is not a header name"))
        #expect(problem("x", "a\r\nb: c").hasPrefix("export[2].headers.x: has a character"))
        #expect(problem("Content-Type", "x").hasPrefix("export[2].headers.Content-Type: is set by"))
        #expect(problem("grpc-timeout", "x").hasPrefix("export[2].headers.grpc-timeout: is set by"))
    }

    @Test(
        "unreadable files are named",
        arguments: [ExporterSettings.Kind.otlpHTTP, .otlpGRPC])
    func files(kind: ExporterSettings.Kind) throws {
        let folder = try ScratchFolder()
        let noPEM = try folder.file("no.pem", "nothing")
        let certificate = try folder.file("c.pem", TestCertificates.client)
        for path in [noPEM, folder.path + "/absent"] {
            let authorities = problem(kind) {
                $0.url = "https://h"
                $0.tls.authoritiesFile = path
            }
            #expect(authorities.hasPrefix("export[2].tls.ca: '\(path)' "))
            let key = problem(kind) {
                $0.url = "https://h"
                $0.tls.certificateFile = certificate
                $0.tls.keyFile = path
            }
            #expect(key.hasPrefix("export[2].tls.key: '\(path)' "))
        }
        let otherKey = try folder.file("other.key", TestCertificates.serverKey)
        let mismatch = problem(kind) {
            $0.url = "https://h"
            $0.tls.certificateFile = certificate
            $0.tls.keyFile = otherKey
        }
        #expect(
            mismatch.hasPrefix(
                "export[2].tls.key: '\(otherKey)' is not the key of '\(certificate)'"))
        let output = problem(.file) { $0.path = folder.path + "/absent/out.jsonl" }
        #expect(output.hasPrefix("export[2].path: '\(folder.path)/absent/out.jsonl' can't be"))
    }
}
