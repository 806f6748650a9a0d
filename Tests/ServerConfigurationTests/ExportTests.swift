import Testing

@testable import ServerConfiguration

@Suite("Exports in the configuration")
struct ExportTests {
    func exports(
        _ lines: String, environment: [String: String] = [:], flags: [String: String] = [:]
    ) throws(ConfigurationError) -> [Export] {
        try load("export:\n\(lines)", environment: environment, flags: flags).configuration.exports
    }

    @Test("an export needs no more than its URL")
    func shortest() throws {
        let export = try #require(try exports("- url: http://collector:4318").first)
        let server = Export.OTLPServer(
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

    @Test("an export can say everything")
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
        let server = Export.OTLPServer(
            url: "https://collector:4317",
            headers: [
                .init(name: "b", value: Secret("1, 2")), .init(name: "a", value: Secret("x=y")),
            ],
            compression: .gzip, timeout: .seconds(3),
            tls: .init(
                authorities: "ca.pem", certificate: "c.pem", key: "k.pem",
                acceptsAnyCertificate: true))
        let bySignal = Export.OTLPServer(
            logsURL: "http://a/l", tracesURL: "http://a/t", metricsURL: "http://a/m", headers: [],
            compression: .none, timeout: .seconds(10), tls: .init(acceptsAnyCertificate: false))
        #expect(exports.map(\.name) == ["main", "/tmp/out", "stdout", "http://a/l"])
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

    @Test("variables complete the entries of the file")
    func environment() throws {
        let exports = try exports(
            "- url: http://a\n- url: http://b",
            environment: [
                "SYMBOLIST_EXPORT_1_NAME": "second", "SYMBOLIST_EXPORT_2_TYPE": "stdout",
            ])
        #expect(exports.map(\.name) == ["http://a", "second", "stdout"])
    }

    @Test("exports of flags take nothing from those of other sources")
    func flags() throws {
        let exports = try exports(
            "- {url: \"http://a\", headers: {x-key: k}}\n- url: http://b",
            environment: ["SYMBOLIST_EXPORT_0_NAME": "first"],
            flags: try FlagOverrides.exports(["https://c"]))
        #expect(exports.map(\.name) == ["https://c"])
        guard case .otlpHTTP(let server)? = exports.first?.destination else {
            Issue.record("no OTLP over HTTP")
            return
        }
        #expect(server.headers == [])
    }

    @Test(
        "each kind of URL in a flag means a kind of export",
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
        #expect(try FlagOverrides.exports([url]) == Dictionary(uniqueKeysWithValues: expected))
    }

    @Test("a flag with another kind of URL is refused")
    func unknownURL() {
        #expect(throws: ConfigurationError.self) { try FlagOverrides.exports(["ftp://a"]) }
    }

    @Test(
        "what cannot work is refused",
        arguments: [
            ("- name: x", "symbolist.yaml:2: export[0]: has no url: give one such as"),
            ("- type: file", "symbolist.yaml:2: export[0]: has no path: give the file to write to"),
            (
                "- {type: stdout, path: x}",
                "symbolist.yaml:2: export[0].path: means nothing to type"
            ),
            ("- {url: \"http://a\", path: x}", "symbolist.yaml:2: export[0].path: means nothing"),
            (
                "- {type: file, path: x, url: \"http://a\"}",
                "symbolist.yaml:2: export[0].url: means"
            ),
            (
                "- {type: otlp_grpc, logs_url: \"http://a\"}",
                "symbolist.yaml:2: export[0].logs_url: means nothing to type 'otlp_grpc'"
            ),
            (
                "- {type: stdout, compression: gzip}",
                "symbolist.yaml:2: export[0].compression: means nothing to type 'stdout'"
            ),
            (
                "- {type: file, path: x, rotate: {bytes: 0}}",
                "symbolist.yaml:2: export[0].rotate.bytes: is nothing: give more"
            ),
            (
                "- type: stdout\n- type: stdout",
                "symbolist.yaml:3: export[1]: has the name 'stdout': give it another"
            ),
            (
                "- {type: stdout, name: worker}",
                "symbolist.yaml:2: export[0]: has the name 'worker': give it another"
            ),
            (
                "- {url: \"http://a\", retry: {initial: 2s, max: 1s}}",
                "symbolist.yaml:2: export[0].retry.max: is shorter than retry.initial"
            ),
            (
                "- {url: \"http://a\", retry: {initial: 0s}}",
                "symbolist.yaml:2: export[0].retry.initial: leaves no pause"
            ),
            (
                "- {url: \"http://a\", timeout: 0s}",
                "symbolist.yaml:2: export[0].timeout: leaves no"
            ),
            (
                "- {url: \"http://a\", tls: {key: k}}",
                "symbolist.yaml:2: export[0].tls.key: stands alone"
            ),
        ])
    func refused(lines: String, beginning: String) throws {
        let found = problems("export:\n\(lines)")
        #expect(found.count == 1)
        #expect(try #require(found.first).hasPrefix(beginning), "\(found)")
    }

    @Test(
        "addresses in flags",
        arguments: [
            ("0.0.0.0:80", ["http.host": "0.0.0.0", "http.port": "80"]),
            ("[::1]:80", ["http.host": "::1", "http.port": "80"]), ("[::]", ["http.host": "::"]),
            (":80", ["http.port": "80"]), ("localhost", ["http.host": "localhost"]),
            ("a:b", nil), ("a:", nil), ("", nil), ("a:65536", nil), (":", nil),
        ] as [(String, [String: String]?)])
    func addresses(text: String, settings: [String: String]?) {
        #expect((try? FlagOverrides.listener("http", flag: "--http", text)) == settings)
    }
}
