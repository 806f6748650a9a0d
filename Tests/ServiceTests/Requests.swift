import CallStacks
import Foundation
import OTLP
import TestSupport
import Testing

/// The requests of clients. Each record has an attribute that identifies it.
enum Requests {
    static let idKey = "test.id"
    static let build = "orchard-1.4.0-arm64-release-dwarf4"

    /// A record without a diagnostic.
    static func plain(_ id: String, body: Data = Data("started".utf8)) -> LogRecord {
        var record = LogRecord()
        record.body = AnyValue(.bytesValue(body))
        record.attributes[idKey] = .stringValue(id)
        return record
    }

    /// A small crash in one function of ``library(_:)``.
    ///
    /// - Parameter uid: The client's name for the record, if any.
    static func crash(_ id: String, in image: ImageID, uid: String? = nil) -> LogRecord {
        var record = LogRecord()
        record.eventName = "metrickit.diagnostic.crash"
        record.attributes["name"] = .stringValue("metrickit.diagnostic.crash")
        let frame =
            #"{"binaryName":"Fig","binaryUUID":"\#(image)","offsetAddress":\#(functionOffset)}"#
        record.attributes["exception.stacktrace"] = .stringValue(
            #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"#
                + #""callStackFrames":[\#(frame),\#(frame)]}]}"#)
        record.attributes[idKey] = .stringValue(id)
        if let uid { record.attributes["log.record.uid"] = .stringValue(uid) }
        return record
    }

    /// Returns incompressible bytes.
    static func noise(_ count: Int) -> Data {
        var numbers = SplitMix64(seed: UInt64(count))
        var noise = Data(capacity: count + 8)
        while noise.count < count {
            unsafe withUnsafeBytes(of: numbers.next()) { unsafe noise.append(contentsOf: $0) }
        }
        return noise.prefix(count)
    }

    static func logs(_ records: [LogRecord]) throws -> [UInt8] {
        var scope = ScopeLogs()
        scope.scope.name = "MetricKit"
        scope.logRecords = records
        var resource = ResourceLogs()
        resource.resource.attributes["service.name"] = .stringValue("Fig")
        resource.scopeLogs = [scope]
        var request = ExportLogsServiceRequest()
        request.resourceLogs = [resource]
        return try request.encoded(as: .protobuf)
    }

    /// Returns a trace request with a span for each identifier.
    static func spans(_ ids: [String]) throws -> [UInt8] {
        var scope = ScopeSpans()
        scope.spans = ids.map { id in
            var span = Span()
            span.name = "ripening"
            span.attributes[idKey] = .stringValue(id)
            return span
        }
        var resource = ResourceSpans()
        resource.resource.attributes["service.name"] = .stringValue("Fig")
        resource.scopeSpans = [scope]
        var request = ExportTraceServiceRequest()
        request.resourceSpans = [resource]
        return try request.encoded(as: .protobuf)
    }

    /// Returns a metrics request with a gauge for each identifier, which is its name.
    static func gauges(_ ids: [String]) throws -> [UInt8] {
        var scope = ScopeMetrics()
        scope.metrics = ids.map { id in
            var metric = Metric()
            metric.name = id
            metric.gauge.dataPoints = [.init()]
            metric.gauge.dataPoints[0].asInt = 7
            return metric
        }
        var resource = ResourceMetrics()
        resource.resource.attributes["service.name"] = .stringValue("Fig")
        resource.scopeMetrics = [scope]
        var request = ExportMetricsServiceRequest()
        request.resourceMetrics = [resource]
        return try request.encoded(as: .protobuf)
    }

    /// Returns a crash of the sample app as sent by its SDK, with images in the app's bundle.
    ///
    /// - Parameter uid: The client's identifier for it, if any.
    static func fixtureCrash(_ id: String, uid: String? = nil) throws -> [UInt8] {
        let path = "Fixtures/Diagnostics/\(build)/divide-by-zero.otlp.json"
        let bytes = try Data(contentsOf: projectFolder.appendingPathComponent(path))
        var request = try ExportLogsServiceRequest(decoding: [UInt8](bytes), as: .json)
        let records = try #require(request.resourceLogs.first?.scopeLogs.first?.logRecords)
        try #require(!records.isEmpty)
        request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[idKey] = .stringValue(id)
        if let uid {
            request.resourceLogs[0].scopeLogs[0].logRecords[0].attributes["log.record.uid"] =
                .stringValue(uid)
        }
        return try request.encoded(as: .protobuf)
    }

    /// Returns a MetricKit payload that differs from all others.
    static func payload(_ number: UInt64) throws -> [UInt8] {
        let path = "Fixtures/Diagnostics/\(build)/divide-by-zero.crash.json"
        let text = try String(
            contentsOf: projectFolder.appendingPathComponent(path), encoding: .utf8)
        guard let start = text.firstIndex(of: "{") else { return [] }
        return Array("{\"testNumber\": \"\(number)\", \(text[start...].dropFirst())".utf8)
    }

    /// The debug files of the sample app.
    static func orchardFiles() throws -> [[UInt8]] {
        try [
            "Orchard.app.dSYM/Contents/Resources/DWARF/Orchard",
            "OrchardKit.framework.dSYM/Contents/Resources/DWARF/OrchardKit",
        ].map { name in
            [UInt8](
                try Data(
                    contentsOf: projectFolder.appendingPathComponent("Symbols/\(build)/\(name)")))
        }
    }
}

/// Returns an identity of 16 bytes for a number.
func identity(_ number: UInt64) -> ImageID {
    var numbers = SplitMix64(seed: number)
    let bytes = (0..<16).map { _ in UInt8.random(in: 1...255, using: &numbers) }
    guard let image = ImageID(bytes: bytes) else { preconditionFailure("identity: has 16 bytes") }
    return image
}

/// Returns an ELF library with that identity and one function.
func library(_ number: UInt64) -> [UInt8] {
    var file = ELFBuilder.library(buildID: identity(number).bytes)
    file.add([.init("ripen", at: 0x1010, size: 0x10)])
    return file.bytes()
}

/// An offset in the function of ``library(_:)``.
let functionOffset = 0x1018
