import Foundation
import OTLP
import Testing

@testable import Ingest

/// The attributes of Honeycomb's `dsym_symbolicator`, received and sent.
@Suite("Honeycomb's attributes")
struct HoneycombTests {
    private static let crash = "metrickit.diagnostic.crash"
    private static let metricKit = "\(crash).exception.stacktrace_json"

    private static func settings(
        _ change: (inout HoneycombContract) -> Void = { _ in }
    ) -> IngestFlow.Settings {
        var contract = HoneycombContract()
        change(&contract)
        var settings = IngestFlow.Settings()
        settings.enrichment.honeycomb = contract
        return settings
    }

    /// A crash of the sample app, with its stack in an attribute.
    private static func request(
        stackIn key: String, _ more: [String: String] = [:], resource: [String: String] = [:]
    ) throws -> ExportLogsServiceRequest {
        var request = try IngestRig.request("divide-by-zero.otlp.json")
        var record = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        let stack = record.attributes["exception.stacktrace"]
        for attribute in record.attributes
        where ["exception.", "\(Self.crash).exception."].contains(where: attribute.key.hasPrefix) {
            record.attributes[attribute.key] = nil
        }
        record.attributes[key] = stack
        for (key, text) in more { record.attributes[key] = .stringValue(text) }
        for (key, text) in resource {
            request.resourceLogs[0].resource.attributes[key] = .stringValue(text)
        }
        request.resourceLogs[0].scopeLogs[0].logRecords = [record]
        return request
    }

    private static func record(
        of request: ExportLogsServiceRequest, _ settings: IngestFlow.Settings
    ) async throws -> OTLP.LogRecord {
        let rig = try await IngestRig(settings: settings)
        try await rig.service.gateway.accept(.logs, request.encoded(as: .protobuf))
        try await rig.drain()
        return try #require(try await rig.records().first)
    }

    @Test("every key is read and written under its configured name")
    func keys() async throws {
        let settings = Self.settings {
            $0.metricKitStackTrace = "kit.json"
            $0.metricKitOutput = "kit.stack"
            $0.exceptionType = "kit.type"
            $0.exceptionMessage = "kit.message"
            $0.original = "kit.original"
            $0.failed = "kit.failed"
            $0.error = "kit.error"
        }
        let request = try Self.request(stackIn: "kit.json")
        let sent = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        let record = try await Self.record(of: request, settings)
        #expect(record.attributes["kit.stack"]?.string?.contains("Harvest.swift:31:11") == true)
        #expect(record.attributes["kit.original"] == sent.attributes["kit.json"])
        #expect(record.attributes["kit.failed"] == .boolValue(false))
        #expect(record.attributes["kit.type"]?.string?.isEmpty == false)
        #expect(record.attributes["kit.message"]?.string?.isEmpty == false)
        for key in ["stacktrace", "stacktrace.original", "symbolicator.failed", "type", "message"] {
            #expect(record.attributes["exception.\(key)"] == nil, "\(key)")
        }
    }

    @Test("a text stack is read and written under its own key, with the executable's attributes")
    func text() async throws {
        let settings = Self.settings {
            $0.stackTrace = "app.stack"
            $0.buildUUID = "app.uuid"
            $0.executable = "app.name"
        }
        let uuid = "4C4C4481-5555-3144-A199-BFCEAE3FE729"
        var request = try Self.request(
            stackIn: "unused", ["app.stack": "0   Orchard  0x0000000104a35140 Orchard + 16440"],
            resource: ["app.uuid": uuid, "app.name": "Orchard"])
        request.resourceLogs[0].scopeLogs[0].logRecords[0].eventName = ""
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes["name"] = nil
        let record = try await Self.record(of: request, settings)
        #expect(record.attributes["app.stack"]?.string?.contains("swift:") == true, "\(record)")
        #expect(record.attributes["exception.stacktrace"] == nil)
    }

    @Test(
        "the exception is named by the first attribute that the record has, or as unknown",
        arguments: [
            (["signal.name"], "signal.name", "Unknown Error"),
            (
                ["objc.type", "objc.message", "mach_exception.name", "mach_exception.description"],
                "objc.type", "objc.message"
            ),
            (
                ["mach_exception.name", "signal.name", "signal.description"], "mach_exception.name",
                "signal.description"
            ),
            (["termination_reason"], "Unknown Error", "termination_reason"),
            ([], "Unknown Error", "Unknown Error"),
        ] as [([String], String, String)])
    func exception(given: [String], type: String, message: String) async throws {
        var more: [String: String] = [:]
        for name in given { more["\(Self.crash).exception.\(name)"] = name }
        let request = try Self.request(stackIn: Self.metricKit, more)
        let record = try await Self.record(of: request, Self.settings())
        #expect(record.attributes["exception.type"]?.string == type)
        #expect(record.attributes["exception.message"]?.string == message)
    }

    @Test("the exception is named even if the stack cannot be read")
    func damagedStack() async throws {
        let exception = "\(Self.crash).exception"
        let request = try Self.request(
            stackIn: "unused",
            [
                Self.metricKit: "{broken", "\(exception).objc.type": "NSRangeException",
                "\(exception).objc.message": "index 3 beyond bounds",
            ])
        let record = try await Self.record(of: request, Self.settings())
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(true))
        #expect(record.attributes["exception.type"]?.string == "NSRangeException")
        #expect(record.attributes["exception.message"]?.string == "index 3 beyond bounds")
    }

    @Test("without the setting, the exception is named as before")
    func off() async throws {
        let request = try Self.request(stackIn: Self.metricKit)
        let record = try await Self.record(of: request, IngestFlow.Settings())
        #expect(record.attributes["exception.type"]?.string != "Unknown Error")
    }

    @Test(
        "only records of the allowed languages are processed",
        arguments: [
            ("Swift", nil, true), (nil, "swift", true), ("java", "swift", false),
            (nil, nil, false), (nil, "python", false),
        ] as [(String?, String?, Bool)])
    func languages(record: String?, resource: String?, isProcessed: Bool) async throws {
        let key = "telemetry.sdk.language"
        var request = try Self.request(
            stackIn: Self.metricKit, record.map { [key: $0] } ?? [:])
        request.resourceLogs[0].resource.attributes[key] = resource.map { .stringValue($0) }
        let sent = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        let settings = Self.settings { $0.allowedLanguages = ["swift", "objc"] }
        let received = try await Self.record(of: request, settings)
        #expect((received == sent) == !isProcessed)
    }

    @Test(
        "a stack that the processor has symbolicated is passed on unchanged",
        arguments: [
            """
            2   libsystem                 0x00000001025a0758 libsystem + 12
            3   Chateaux Bufeaux          0x00000001025a0758 main (in Chateaux Bufeaux) \
            (MyFile.swift:1) + 231256
            """,
            "Shop(4C4C4481-5555-3144-A199-BFCEAE3FE729) +12\n    "
                + "Shop Floor\t\t\t0x38758 Cart.pay() (Shop/Cart.swift:12) + 4339664728",
        ])
    func symbolicated(stack: String) async throws {
        let request = try Self.request(
            stackIn: "unused", ["exception.stacktrace": stack])
        let sent = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        #expect(try await Self.record(of: request, Self.settings()) == sent)
        #expect(try await Self.record(of: request, IngestFlow.Settings()) == sent)
    }

    @Test("frames of a missing image are alike, and the others are resolved", arguments: [1, 3])
    func missing(count: Int) async throws {
        let frame =
            #"{"binaryName":"Gone","binaryUUID":"00000000-0000-0000-0000-00000000000A","#
            + #""offsetIntoBinaryTextSegment":4660}"#
        let frames = Array(repeating: frame, count: count).joined(separator: ",")
        let stack =
            #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"#
            + #""callStackFrames":[\#(frames)]}]}"#
        let request = try Self.request(stackIn: "unused", [Self.metricKit: stack])
        let record = try await Self.record(of: request, Self.settings())
        #expect(record.attributes["symbolist.frames.total"]?.integer == Int64(count))
        #expect(record.attributes["exception.symbolicator.failed"] == .boolValue(true))
        #expect(record.attributes["exception.symbolicator.error"]?.string?.isEmpty == false)
        #expect(record.attributes["exception.type"]?.string == "Unknown Error")
    }

    /// Changes to the stack of ``request(stackIn:_:resource:)`` on which the processor fails.
    enum Variation: String, CaseIterable, Sendable {
        /// The processor routes the event to a reader of another attribute.
        case payloadInTextAttribute
        /// It compares identities as text.
        case lowerCaseIdentity
        /// It uses the name as a path.
        case pathAsName
        /// It ends at the first frame that cannot be resolved.
        case unknownFrameFirst
        /// It expects an offset, but a system wrote the load address.
        case loadAddressAsOffset

        var key: String {
            self == .payloadInTextAttribute
                ? "exception.stacktrace" : "metrickit.diagnostic.crash.exception.stacktrace_json"
        }

        func stack(_ stack: String) -> String {
            switch self {
            case .payloadInTextAttribute: stack
            case .lowerCaseIdentity:
                stack.replacing(
                    "4C4C4481-5555-3144-A199-BFCEAE3FE729",
                    with: "4c4c4481-5555-3144-a199-bfceae3fe729")
            case .pathAsName: stack.replacing("\"Orchard\"", with: "\"../../../Orchard\"")
            case .unknownFrameFirst:
                stack.replacing(
                    "\"callStackFrames\": [",
                    with: """
                        "callStackFrames": [{"binaryName": "Gone", "offsetAddress": 4660,
                         "binaryUUID": "00000000-0000-0000-0000-00000000000A"},
                        """, maxReplacements: 1)
            case .loadAddressAsOffset:
                stack.replacing(/"offsetAddress": (\d+)/) { match in
                    let offset = UInt64(match.1) ?? 0
                    return """
                        "offsetIntoBinaryTextSegment": 4374855680, "address": \(4_374_855_680 + offset)
                        """
                }
            }
        }
    }

    @Test("records that the processor fails on are resolved", arguments: Variation.allCases)
    func variations(variation: Variation) async throws {
        let stack = String(
            decoding: try IngestRig.fixture("divide-by-zero.flat.json"), as: UTF8.self)
        let request = try Self.request(
            stackIn: "unused", [variation.key: variation.stack(stack)])
        let record = try await Self.record(of: request, Self.settings())
        #expect(record.eventName == Self.crash)
        #expect(
            record.attributes["exception.symbolicator.failed"] == .boolValue(false), "\(record)")
        let written = try #require(record.attributes["exception.stacktrace"]?.string)
        #expect(written.contains("Harvest.swift:31:11"), "\(written)")
        #expect(record.attributes["exception.type"]?.string?.isEmpty == false)
        #expect(record.attributes["exception.message"]?.string?.isEmpty == false)
    }

    @Test("a hang keeps all branches of its tree and their counts")
    func hang() async throws {
        var request = try IngestRig.request("index-rebuild.otlp.json")
        var record = request.resourceLogs[0].scopeLogs[0].logRecords[0]
        #expect(record.eventName == "metrickit.diagnostic.hang")
        record.attributes["metrickit.diagnostic.hang.exception.stacktrace_json"] =
            record.attributes["exception.stacktrace"]
        record.attributes["exception.stacktrace"] = nil
        request.resourceLogs[0].scopeLogs[0].logRecords = [record]
        let written = try await Self.record(of: request, Self.settings())
        let plain = try await Self.record(
            of: try IngestRig.request("index-rebuild.otlp.json"), IngestFlow.Settings())
        let stack = try #require(written.attributes["exception.stacktrace"]?.string)
        #expect(stack == plain.attributes["exception.stacktrace"]?.string)
        #expect(stack.split(separator: "\n").count > 3, "\(stack)")
    }
}
