import Problems
import Testing

@testable import ServerConfiguration

@Suite("Exporters in the configuration")
struct ExportTests {
    func exports(
        _ lines: String, environment: [String: String] = [:], flags: [String: String] = [:],
        replacing lists: Set<String> = []
    ) throws(ConfigurationError) -> [ExporterConfiguration] {
        try load("export:\n\(lines)", environment: environment, flags: flags, replacing: lists)
            .configuration.exports
    }

    @Test("an exporter needs only a URL")
    func shortest() throws {
        let export = try #require(try exports("- url: http://collector:4318").first)
        let server = ExporterConfiguration.OTLPServer(
            url: "http://collector:4318", headers: [], compression: .none, timeout: .seconds(10),
            tls: .init(acceptsAnyCertificate: false))
        #expect(export.name == "http://collector:4318")
        #expect(export.destination == .otlpHTTP(server))
        #expect(
            export.retry
                == .init(
                    initial: .milliseconds(500), longest: .seconds(30),
                    longestAsked: .seconds(300), total: nil))
        #expect(
            export.batch
                == .init(
                    bytes: 2 << 20, recordCount: 1_000, delay: .milliseconds(200),
                    inFlightCount: 4))
    }

    @Test("every setting of an exporter is read")
    func longest() throws {
        let exports = try exports(
            """
            - name: main
              type: otlp_grpc
              url: https://collector:4317
              headers:
                b: "1, 2"
                a: x=y
              compression: gzip
              timeout: 3s
              retry: {initial: 1ms, max: 2s, max_asked: 1m, max_elapsed: 1h}
              batch: {bytes: 5KB, records: 6, delay: 0s, in_flight: 1}
              tls: {ca: ca.pem, certificate: c.pem, key: k.pem, insecure: true}
            - {type: file, path: /tmp/out, rotate: {bytes: 1KiB, keep: 2}}
            - type: stdout
            - {logs_url: "http://a/l", traces_url: "http://a/t", metrics_url: "http://a/m"}
            """)
        let server = ExporterConfiguration.OTLPServer(
            url: "https://collector:4317",
            headers: [
                .init(name: "b", value: Secret("1, 2")), .init(name: "a", value: Secret("x=y")),
            ],
            compression: .gzip, timeout: .seconds(3),
            tls: .init(
                authorities: "ca.pem", certificate: "c.pem", key: "k.pem",
                acceptsAnyCertificate: true))
        let bySignal = ExporterConfiguration.OTLPServer(
            logsURL: "http://a/l", tracesURL: "http://a/t", metricsURL: "http://a/m", headers: [],
            compression: .none, timeout: .seconds(10), tls: .init(acceptsAnyCertificate: false))
        try #require(exports.map(\.name) == ["main", "/tmp/out", "stdout", "http://a/l"])
        #expect(
            exports.map(\.destination) == [
                .otlpGRPC(server),
                .file(path: "/tmp/out", rotation: .init(bytes: 1_024, keptCount: 2)),
                .standardOutput, .otlpHTTP(bySignal),
            ])
        #expect(
            exports[0].retry
                == .init(
                    initial: .milliseconds(1), longest: .seconds(2), longestAsked: .seconds(60),
                    total: .seconds(3_600)))
        #expect(
            exports[0].batch
                == .init(bytes: 5_000, recordCount: 6, delay: .zero, inFlightCount: 1))
    }

    @Test("environment variables complete the entries of the file")
    func environment() throws {
        let exports = try exports(
            "- url: http://a\n- url: http://b",
            environment: [
                "SYMBOLIST_EXPORT_1_NAME": "second", "SYMBOLIST_EXPORT_2_TYPE": "stdout",
            ])
        #expect(exports.map(\.name) == ["http://a", "second", "stdout"])
    }

    @Test("exporters given by flags inherit nothing from other sources")
    func flags() throws {
        let exports = try exports(
            "- {url: \"http://a\", headers: {x-key: k}}\n- url: http://b",
            environment: ["SYMBOLIST_EXPORT_0_NAME": "first"],
            flags: try FlagShorthands.exports(["https://c"]), replacing: ["export"])
        #expect(exports.map(\.name) == ["https://c"])
        guard case .otlpHTTP(let server)? = exports.first?.destination else {
            Issue.record("no OTLP over HTTP")
            return
        }
        #expect(server.headers == [])
    }

    @Test(
        "the scheme of a URL in a flag selects the exporter type",
        arguments: [
            ("http://a:1/x", ["type": "otlp_http", "url": "http://a:1/x"]),
            ("grpc://a:1", ["type": "otlp_grpc", "url": "http://a:1"]),
            ("grpcs://a:1", ["type": "otlp_grpc", "url": "https://a:1"]),
            ("file:///tmp/x", ["type": "file", "path": "/tmp/x"]),
            ("file:out.json", ["type": "file", "path": "out.json"]),
            ("stdout:", ["type": "stdout"]), ("-", ["type": "stdout"]),
        ])
    func urls(url: String, settings: [String: String]) throws {
        let expected = settings.map { ("export.0.\($0.key)", $0.value) }
        #expect(try FlagShorthands.exports([url]) == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("a flag changes one key of a list's entry, or adds an entry, in either form")
    func positions() throws {
        let flags = try FlagShorthands.settings([
            "export[0].path=a[0]=b", "export.2.type=stdout",
        ])
        let lines = "- {type: file, path: a}\n- {type: file, path: b}"
        #expect(
            try exports(lines, flags: flags).map(\.destination) == [
                .file(path: "a[0]=b", rotation: nil), .file(path: "b", rotation: nil),
                .standardOutput,
            ])
    }

    @Test("a flag without a path is rejected", arguments: ["file:", "file://"])
    func emptyPath(url: String) {
        let expected = Problem(
            "--export \(url)", detail: "missing path", suggestion: "use file:PATH")
        #expect(throws: ConfigurationError(problems: [expected])) {
            try FlagShorthands.exports([url])
        }
    }

    @Test("a flag with an unknown URL scheme is rejected")
    func unknownURL() {
        #expect(throws: ConfigurationError.self) { try FlagShorthands.exports(["ftp://a"]) }
    }

    @Test(
        "invalid exporters are rejected",
        arguments: [
            ("- name: x", "symbolist.yaml:2: export[0]: has no url: set one such as"),
            (
                "- logs_url: \"http://a/logs\"",
                "symbolist.yaml:2: export[0]: has no url or metrics_url and traces_url: set one"
            ),
            (
                "- type: file",
                "symbolist.yaml:2: export[0]: has no path: set path to the output file"
            ),
            (
                "- {type: stdout, path: x}",
                "symbolist.yaml:2: export[0].path: does not apply to type"
            ),
            ("- {url: \"http://a\", path: x}", "symbolist.yaml:2: export[0].path: does not apply"),
            (
                "- {type: file, path: x, url: \"http://a\"}",
                "symbolist.yaml:2: export[0].url: does not apply"
            ),
            (
                "- {type: otlp_grpc, logs_url: \"http://a\"}",
                "symbolist.yaml:2: export[0].logs_url: does not apply to type 'otlp_grpc'"
            ),
            (
                "- {type: otlp_grpc, url: \"http://a\", rotate: {bytes: 1}}",
                "symbolist.yaml:2: export[0].rotate.bytes: does not apply to type 'otlp_grpc'"
            ),
            (
                "- {type: stdout, compression: gzip}",
                "symbolist.yaml:2: export[0].compression: does not apply to type 'stdout'"
            ),
            (
                "- {type: file, path: x, rotate: {bytes: 0}}",
                "symbolist.yaml:2: export[0].rotate.bytes: '0' is too small: use a larger size, or 'none'"
            ),
            (
                "- type: stdout\n- type: stdout",
                "symbolist.yaml:3: export[1]: the name 'stdout' is already in use"
            ),
            (
                "- {type: stdout, name: worker}",
                "symbolist.yaml:2: export[0]: the name 'worker' is already in use"
            ),
            (
                "- {url: \"http://a\", retry: {initial: 2s, max: 1s}}",
                "symbolist.yaml:2: export[0].retry.max: is shorter than retry.initial"
            ),
            (
                "- {url: \"http://a\", retry: {initial: 0s}}",
                "symbolist.yaml:2: export[0].retry.initial: '0s' is too short: use 1ms to 1h"
            ),
            (
                "- {url: \"http://a\", timeout: 0s}",
                "symbolist.yaml:2: export[0].timeout: '0s' is too short: use 1ms to 1h"
            ),
            (
                "- {url: \"http://a\", batch: {bytes: 2GiB}}",
                "symbolist.yaml:2: export[0].batch.bytes: '2GiB' is too large: use 1B to 1GiB"
            ),
            (
                "- {url: \"http://a\", tls: {insecure: true}}",
                "symbolist.yaml:2: export[0].tls.insecure: has no effect on an http URL: use an"
            ),
            (
                "- {url: \"https://a\", tls: {key: k}}",
                "symbolist.yaml:2: export[0].tls.key: is set alone"
            ),
        ])
    func refused(lines: String, beginning: String) throws {
        let found = problems("export:\n\(lines)")
        #expect(found.count == 1)
        #expect(try #require(found.first).hasPrefix(beginning), "\(found)")
    }

    @Test(
        "listen addresses in flags",
        arguments: [
            ("0.0.0.0:80", ["http.host": "0.0.0.0", "http.port": "80"]),
            ("[::1]:80", ["http.host": "::1", "http.port": "80"]), ("[::]", ["http.host": "::"]),
            (":80", ["http.port": "80"]), ("localhost", ["http.host": "localhost"]),
            ("a:b", nil), ("a:", nil), ("", nil), ("a:65536", nil), (":", nil),
            ("4318", nil),
        ] as [(String, [String: String]?)])
    func addresses(text: String, settings: [String: String]?) {
        #expect((try? FlagShorthands.listener("http", flag: "--http", address: text)) == settings)
    }
}
