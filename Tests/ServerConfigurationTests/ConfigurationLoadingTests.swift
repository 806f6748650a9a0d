import Logging
import Symbolication
import Telemetry
import TestSupport
import Testing

@testable import ServerConfiguration

/// Loads a configuration from the text of a file.
func load(
    _ text: String = "", environment: [String: String] = [:], flags: [String: String] = [:],
    replacing lists: Set<String> = []
) throws(ConfigurationError) -> LoadedConfiguration {
    try ServerConfiguration.load(
        file: ConfigurationFile(text: text, name: "symbolist.yaml"), environment: environment,
        flags: flags, replacing: lists)
}

/// Returns the problems of a configuration.
func problems(
    _ text: String = "", environment: [String: String] = [:], flags: [String: String] = [:]
) -> [String] {
    do {
        _ = try load(text, environment: environment, flags: flags)
        return []
    } catch {
        return error.problems.map { "\($0)" }
    }
}

@Suite("Loading the configuration")
struct ConfigurationLoadingTests {
    @Test(
        "a list in the file may be a sequence, or text with commas",
        arguments: [
            "[a.example, b.example]", "a.example, b.example", "\n  - a.example\n  - b.example",
        ])
    func lists(value: String) throws {
        let hosts = try load("http:\n  hosts: \(value)").configuration.hosts
        #expect(hosts == ["a.example", "b.example"])
    }

    @Test("the format of the log is known even if another setting is invalid")
    func logFormat() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try load("log:\n  format: json\nhold: never")
        }
        #expect(error.logFormat == .json)
    }

    @Test("an empty configuration has defaults")
    func defaults() throws {
        let loaded = try ServerConfiguration.load(file: nil, environment: ["PATH": "/bin"])
        let configuration = loaded.configuration
        #expect(loaded.warnings == [])
        #expect(configuration.dataFolder == "symbolist-data")
        #expect(configuration.http == .init(host: "127.0.0.1", port: 4_318))
        #expect(configuration.grpc == .init(host: "127.0.0.1", port: 4_317))
        #expect(configuration.tls == nil)
        #expect(configuration.access == AccessControl(isAnonymous: false, tokens: []))
        #expect(configuration.exports == [])
        #expect(configuration.hold == .zero)
        #expect(configuration.resendWindow == .seconds(30 * 86_400))
        #expect(configuration.limits.bodyBytes == 64 << 20)
        #expect(configuration.limits.requestTime == .seconds(60))
        #expect(configuration.retention.symbolsAge == nil)
        #expect(configuration.workerCount == nil)
        #expect(configuration.log == .init(level: .info, format: .text))
        #expect(configuration.tracingURL == nil)
    }

    @Test("diagnostics are stored as received unless privacy.store is 'redacted'")
    func storedRedaction() throws {
        #expect(try !load().configuration.redactsStored)
        #expect(try !load("privacy: {store: original}").configuration.redactsStored)
        #expect(try load("privacy: {store: redacted}").configuration.redactsStored)
        #expect(problems("privacy: {store: strict}").count == 1)
    }

    @Test("every setting is read")
    func everything() throws {
        let configuration = try load(complete).configuration
        #expect(configuration.dataFolder == "/srv/symbolist")
        #expect(configuration.http == .init(host: "0.0.0.0", port: 80))
        #expect(configuration.grpc == .init(host: "::", port: 81))
        #expect(
            configuration.tls
                == ServerTLS(certificate: "c.pem", key: "k.pem", clientAuthorities: "ca.pem"))
        #expect(
            configuration.stacktrace
                == .init(format: .json, keepsOriginal: false, showsFullPaths: true))
        #expect(configuration.hold == .seconds(5))
        #expect(configuration.resendWindow == .seconds(86_400))
        #expect(configuration.inApp.app == ["Shop*", "*Kit"])
        #expect(configuration.inApp.system == ["Ads"])
        #expect(
            configuration.limits
                == .init(
                    bodyBytes: 1, bundleBytes: 2, unpackedBytes: 3, frameCount: 4, depth: 5,
                    queueBytes: 6, freeBytes: 13, mappedBytes: 7, uploadWorkerMemoryBytes: 8,
                    uploadWorkerCPUTime: .seconds(9), uploadWorkerCount: 12, connectionCount: 10,
                    connectionCountPerClient: 13, uploadCount: 14,
                    requestTime: .seconds(11)))
        #expect(
            configuration.retention
                == .init(
                    symbolsAge: .seconds(86_400), symbolsBytes: 2_000,
                    diagnosticsAge: .seconds(180),
                    diagnosticsBytes: 4, deadLetterBytes: 4))
        #expect(configuration.workerCount == 2)
        #expect(configuration.log == .init(level: .debug, format: .json))
        #expect(configuration.tracingURL == "http://traces:4318")
        #expect(configuration.access.isAnonymous)
    }

    @Test("the environment takes precedence over the file, and flags over both")
    func precedence() throws {
        let file = "http:\n  port: 1\nlog:\n  level: debug\nworkers: 7"
        let environment = [
            "SYMBOLIST_HTTP_PORT": "2", "SYMBOLIST_LOG_LEVEL": "error", "SYMBOLIST_WORKERS": "",
        ]
        let configuration = try load(file, environment: environment, flags: ["http.port": "3"])
            .configuration
        #expect(configuration.http.port == 3)
        #expect(configuration.log.level == .error)
        // An empty variable counts as not set.
        #expect(configuration.workerCount == 7)
    }

    @Test("limits that are not set fit on a small disk together")
    func smallDisk() throws {
        let configuration = try load("").configuration.fitted(toDiskOf: 4 << 30)
        #expect(configuration.limits.queueBytes == 512 << 20)
        #expect(configuration.retention.diagnosticsBytes == 1 << 30)
        #expect(configuration.retention.deadLetterBytes == 512 << 20)
        #expect(configuration.retention.symbolsBytes == 3 << 29)
    }

    @Test("limits that are not set keep their defaults on a large disk, or if its size is unknown")
    func largeDisk() throws {
        let configuration = try load("").configuration
        let fitted = configuration.fitted(toDiskOf: 1 << 40)
        #expect(fitted.limits == configuration.limits)
        #expect(fitted.retention.diagnosticsBytes == 10 << 30)
        #expect(fitted.retention.deadLetterBytes == 10 << 30)
        #expect(fitted.retention.symbolsBytes == 384 << 30)
        #expect(configuration.fitted(toDiskOf: nil).retention == configuration.retention)
    }

    @Test("upload workers fit into the memory and the processors of a container together")
    func smallMemory() throws {
        let configuration = try load("").configuration
        let small = configuration.fitted(toMemoryOf: 4 << 30, processorCount: 8).limits
        #expect(small.uploadWorkerMemoryBytes == 1 << 30)
        #expect(small.uploadWorkerCount == 3)
        let tiny = configuration.fitted(toMemoryOf: 64 << 20, processorCount: 8).limits
        #expect(tiny.uploadWorkerMemoryBytes == 256 << 20)
        #expect(tiny.uploadWorkerCount == 1)
        let large = configuration.fitted(toMemoryOf: 1 << 40, processorCount: 8).limits
        #expect(large.uploadWorkerMemoryBytes == 2 << 30)
        #expect(large.uploadWorkerCount == 8)
        let unlimited = configuration.fitted(toMemoryOf: nil, processorCount: 3).limits
        #expect(unlimited.uploadWorkerMemoryBytes == 2 << 30)
        #expect(unlimited.uploadWorkerCount == 3)
        let own = try load("limits: {memory: 3GiB, children: 9}").configuration
            .fitted(toMemoryOf: 1 << 30, processorCount: 2).limits
        #expect(own.uploadWorkerMemoryBytes == 3 << 30)
        #expect(own.uploadWorkerCount == 9)
    }

    @Test("limits that are set are not reduced on a small disk")
    func setBounds() throws {
        let file = """
            limits: {queue_bytes: 1TiB}
            retention: {diagnostics_bytes: 2TiB, symbols_bytes: none}
            """
        let configuration = try load(file).configuration
        let fitted = configuration.fitted(toDiskOf: 1 << 20)
        #expect(fitted.limits == configuration.limits)
        #expect(fitted.retention == configuration.retention)
    }

    @Test("the word none clears a value")
    func takenBack() throws {
        let configuration = try load(
            "workers: 7\nretention:\n  symbols_age: 1d",
            environment: [
                "SYMBOLIST_WORKERS": "auto", "SYMBOLIST_RETENTION_SYMBOLS_AGE": "none",
            ]
        ).configuration
        #expect(configuration.workerCount == nil)
        #expect(configuration.retention.symbolsAge == nil)
    }

    @Test("the keys that need a restart are those whose values differ, defaults included")
    func restart() throws {
        let start = try load("hold: 0s\nexport: [{type: stdout}, {type: file, path: a}]")
        let same = try load("export: [{type: stdout}, {type: file, path: a, timeout: 10s}]")
        #expect(same.keysNeedingRestart(since: start) == [])
        let other = try load(
            "http: {port: 1}\nlog: {level: debug}\ntls: {certificate: c, key: k}\n"
                + "auth: {tokens: [{token: t, scopes: read}]}\nexport: [{type: stdout}]")
        #expect(
            other.keysNeedingRestart(since: start) == [
                "export[1].path", "export[1].type", "http.port",
            ])
    }

    @Test(
        "a flag whose key would be ignored is an error",
        arguments: [
            ("nothing.0.type", "nothing[0].type: no such key: did you mean 'export[].type'?"),
            (
                "export[].type",
                "export[].type: does not say which entry of the list: use 'export.0' for the "
                    + "first one"
            ),
            ("export.64.type", "export[64].type: '64' is not a position in a list: use 0 to 63"),
            ("export.00.type", "export[00].type: '00' is not a position in a list: use 0 to 63"),
            ("http..port", "http..port: no such key: did you mean 'http.port'?"),
            ("http[].port", "http[].port: no such key: did you mean 'http.port'?"),
        ])
    func ignoredFlags(key: String, problem: String) {
        #expect(problems(flags: [key: "file"]) == [problem])
    }

    @Test("lists in environment variables are separated by commas")
    func lists() throws {
        let environment = ["SYMBOLIST_IN_APP_INCLUDE": "Shop*, *Kit ,Cart"]
        #expect(
            try load(environment: environment).configuration.inApp.app == ["Shop*", "*Kit", "Cart"])
    }

    @Test("gRPC can be disabled")
    func withoutGRPC() throws {
        #expect(try load("grpc:\n  enabled: no").configuration.grpc == nil)
    }

    @Test("empty groups are valid")
    func shapes() throws {
        let configuration = try load("http.port: 9\ntls:\nexport:\nlog: ~\nhold:\n").configuration
        #expect(configuration.http.port == 9)
        #expect(configuration.exports == [])
    }

    @Test("unknown variables with the prefix cause a warning")
    func warnings() throws {
        let environment = [
            "SYMBOLIST_HTTP_PROT": "1", "SYMBOLIST_SERVICE_PORT": "1", "SYMBOLIST_TOKEN": "t",
            "SYMBOLIST_EXPORT_99_URL": "http://a", "SYMBOLISTS": "x",
        ]
        let warnings = try load(environment: environment).warnings.map { "\($0)" }
        #expect(
            warnings == [
                "SYMBOLIST_EXPORT_99_URL: no setting has this variable: did you mean "
                    + "'SYMBOLIST_EXPORT_N_URL'?",
                "SYMBOLIST_HTTP_PROT: no setting has this variable: did you mean "
                    + "'SYMBOLIST_HTTP_PORT'?",
                "SYMBOLIST_SERVICE_PORT: no setting has this variable: "
                    + "see 'symbolist serve --list-settings'",
            ])
    }

    @Test("no text causes a trap", arguments: UInt64(0)..<200)
    func damaged(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var text = Array(complete)
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            let place = Int.random(in: text.indices, using: &numbers)
            text[place] = ":-[]{}\"\n #&*?|0,".randomElement(using: &numbers) ?? " "
        }
        for problem in problems(String(text)) { #expect(problem.hasPrefix("symbolist.yaml:")) }
    }

    private let complete = """
        data: /srv/symbolist
        http: {host: 0.0.0.0, port: 80}
        grpc:
          host: "::"
          port: 81
        tls:
          certificate: c.pem
          key: k.pem
          client_ca: ca.pem
        auth:
          anonymous: true
          tokens:
            - token: first
              scopes: [ingest]
        export:
          - url: http://collector:4318
            headers:
              x-key: value
            retry: {initial: 2s}
          - {type: file, path: out.json}
        stacktrace:
          format: json
          keep_original: false
          full_paths: true
        metrickit: {additions: false}
        hold: 5s
        resend: {window: 1d}
        in_app:
          include: ["Shop*", "*Kit"]
          exclude: Ads
        limits:
          body: 1
          bundle: 2
          unpacked: 3
          frames: 4
          depth: 5
          queue_bytes: 6
          free_bytes: 13
          mapped_bytes: 7
          memory: 8
          child_cpu: 9s
          children: 12
          connections: 10
          connections_per_client: 13
          uploads: 14
          request_seconds: 11
        retention:
          symbols_age: 1d
          symbols_bytes: 2KB
          diagnostics_age: 3m
          diagnostics_bytes: 4
        workers: 2
        log: {level: debug, format: json}
        tracing: {url: "http://traces:4318"}
        """
}
