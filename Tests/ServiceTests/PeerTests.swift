import Foundation
import TestSupport
import Testing

extension ServiceProcessTests {
    /// OpenTelemetry's SDK for Python as the sender, and a receiver with its message classes.
    @Suite("Peers in Python", .ownThreads, .enabled(if: Peers.areWanted))
    struct PeerTests {
        @Test("records that the SDK sends over HTTP and gRPC are exported over both")
        func sdk() async throws {
            let receiver = try await Peers()
            let site = try Site(
                exports: [
                    "http://127.0.0.1:\(receiver.port)", "grpc://127.0.0.1:\(receiver.grpcPort)",
                ])
            let served = try await site.start()
            for file in try Requests.orchardFiles() {
                #expect(try await site.client.upload(file).status == 201)
            }
            let http = try await Peers.send("http", to: site.port)
            let grpc = try await Peers.send("grpc", to: site.grpcPort)
            // 101 records, a span and a metric, sent in two ways and received in two.
            #expect(await eventually { (try? receiver.lines().count) ?? 0 >= 2 * 2 * 103 })
            let lines = try receiver.lines()
            for way in ["http", "grpc"] {
                try expectEverything("http", trace: http, in: lines.filter { $0.way == way })
                try expectEverything("grpc", trace: grpc, in: lines.filter { $0.way == way })
            }
            #expect(await served.stop() == 0)
            receiver.end()
            print("peers: \(lines.count) records, spans and metrics came back")
        }

        @Test("with Honeycomb's attributes switched on, the SDK's crash has the configured ones")
        func honeycomb() async throws {
            let receiver = try await Peers()
            let site = try Site(
                exports: ["http://127.0.0.1:\(receiver.port)"],
                settings: [
                    "HONEYCOMB_ENABLED": "true", "HONEYCOMB_ALLOWED_LANGUAGES": "swift,python",
                    "HONEYCOMB_SYMBOLICATOR_FAILURE_ATTRIBUTE_KEY": "dsym.failed",
                ])
            let served = try await site.start()
            for file in try Requests.orchardFiles() {
                #expect(try await site.client.upload(file).status == 201)
            }
            _ = try await Peers.send("http", to: site.port)
            #expect(await eventually { (try? receiver.lines().count) ?? 0 >= 103 })
            let crash = try #require(
                try receiver.lines().first { $0.event == "metrickit.diagnostic.crash" })
            #expect(crash.attributes["dsym.failed"] as? Bool == false)
            #expect(crash.attributes["exception.type"] as? String == "Unknown Error")
            #expect(crash.attributes["exception.message"] as? String == "Unknown Error")
            let stack = crash.attributes["exception.stacktrace"] as? String ?? ""
            #expect(stack.contains("Harvest.swift:31"))
            #expect(await served.stop() == 0)
            receiver.end()
        }

        @Test("records of MetricKit payloads are decoded completely, over HTTP and gRPC")
        func metricKit() async throws {
            let receiver = try await Peers()
            let site = try Site(
                exports: [
                    "http://127.0.0.1:\(receiver.port)", "grpc://127.0.0.1:\(receiver.grpcPort)",
                ])
            let served = try await site.start()
            let several = "Fixtures/Diagnostics/\(Requests.build)/several.payload.json"
            let diagnostics = try Data(contentsOf: projectFolder.appendingPathComponent(several))
            for payload in [Array(OrchardMetrics.everything.utf8), [UInt8](diagnostics)] {
                let reply = try await site.client.post(
                    "/v1/metrickit", payload, type: "application/json")
                #expect(reply.status == 202)
            }
            // Three spans of metrics, one of diagnostics, and four records, in two ways.
            #expect(await eventually { (try? receiver.lines().count) ?? 0 >= 2 * 8 })
            let lines = try receiver.lines()
            for way in ["http", "grpc"] { try expectPayloads(in: lines.filter { $0.way == way }) }
            #expect(await served.stop() == 0)
            receiver.end()
            print("peers: \(lines.count) spans and records of payloads came back")
        }

        @Test("grpcio gets the status of a message that is too long, and the health of the service")
        func overlong() async throws {
            let site = try Site(exports: [], settings: ["LIMITS_BODY": "1MiB"])
            let served = try await site.start()
            _ = try await Peers.output(
                "overlong.py", ["127.0.0.1:\(site.grpcPort)", "\(1 << 20)"])
            #expect(await served.stop() == 0)
        }

        private func expectPayloads(in lines: [Peers.Line]) throws {
            let spans = lines.filter { $0.signal == "traces" }
            #expect(
                spans.map(\.name).sorted { ($0 ?? "") < ($1 ?? "") } == [
                    "MXDiagnosticPayload", "MXMetricPayload", "MXSignpostMetric",
                    "MXSignpostMetric",
                ])
            let metrics = try #require(spans.first { $0.name == "MXMetricPayload" })
            #expect(metrics.service == "com.example.orchard")
            #expect(metrics.attributes.count == 57)
            let launch = "metrickit.app_launch.time_to_first_draw_average"
            #expect(metrics.attributes[launch] as? Double == 0.125)
            let exits = "metrickit.app_exit.background.bad_access-exit_count"
            #expect(metrics.attributes[exits] as? Int == 11)
            #expect(metrics.nanoseconds == [1_795_132_800_000_000_000, 1_795_219_140_000_000_000])
            let records = lines.filter { $0.signal == "logs" }
            #expect(
                records.map(\.event) == [
                    "metrickit.diagnostic.app_launch", "metrickit.diagnostic.disk_write_exception",
                    "metrickit.diagnostic.hang", "metrickit.diagnostic.crash",
                ])
            let hang = "metrickit.diagnostic.hang.hang_duration"
            #expect(records.map { $0.attributes[hang] as? Double } == [nil, nil, 3, nil])
            #expect(
                records.allSatisfy { $0.attributes["os.version"] as? String == "18.1" })
        }

        /// Checks that everything that one sender sent was received in one way.
        private func expectEverything(
            _ sender: String, trace: String, in lines: [Peers.Line]
        ) throws {
            let logs = lines.filter { $0.signal == "logs" && $0.service == "orchard-\(sender)" }
            let plain = logs.filter { $0.event == "" }
            #expect(plain.map(\.body) == (0..<100).map { "\(sender) line \($0)" })
            #expect(plain.map(\.number) == Array(0..<100))
            #expect(logs.allSatisfy { $0.trace == trace && $0.severity == "ERROR" })
            let crash = try #require(logs.first { $0.event == "metrickit.diagnostic.crash" })
            #expect(crash.body == "\(sender) crash")
            #expect(crash.attributes["symbolist.status"] as? String == "symbolicated")
            let stack = crash.attributes["exception.stacktrace"] as? String ?? ""
            #expect(stack.contains("share(_:among:) (Harvest.swift:31:11)"))
            let spans = lines.filter { $0.signal == "traces" && $0.name == "\(sender) span" }
            #expect(spans.map(\.trace) == [trace])
            let metrics = lines.filter { $0.name == "\(sender).counter" }
            #expect(metrics.map(\.points) == [[7]])
        }
    }
}
