import Foundation
import TestSupport

/// Random JSON in the form of a request, with any value in any field: numbers at and past the
/// bounds of their types, strings for numbers, and sometimes a value of another type.
struct RandomRequest {
    private var numbers: SplitMix64
    /// The remaining number of messages to generate. It keeps requests small.
    private var budget = 40

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// - Parameter name: The name of a message in ``fields``.
    mutating func message(_ name: String) -> String {
        budget -= 1
        let fields = Self.fields[name, default: ""].split(whereSeparator: \.isWhitespace)
        // Messages with few fields get them all, so that most requests are deep.
        var chosen = fields.filter { !$0.hasPrefix("|") && (fields.count < 4 || chance(2)) }
        chosen += fields.filter { $0.hasPrefix("|") }.shuffled(using: &numbers).prefix(1)
        return "{" + chosen.map { field($0.drop { $0 == "|" }) }.joined(separator: ",") + "}"
    }

    private mutating func field(_ description: Substring) -> String {
        let parts = description.split(separator: ":")
        guard parts[1].hasSuffix("*") else { return "\"\(parts[0])\":\(value(String(parts[1])))" }
        let count = Int.random(in: 0...3, using: &numbers)
        let values = (0..<count).map { _ in value(String(parts[1].dropLast())) }
        return "\"\(parts[0])\":[\(values.joined(separator: ","))]"
    }

    /// Returns a value of a protobuf type, or a message.
    private mutating func value(_ type: String) -> String {
        if chance(200) { return pick(["null", "true", "[]", "{}", "\"\"", "0", "-1", "1e400"]) }
        switch type {
        case "string":
            return pick(["\"\"", "\"a\"", "\"\\u0000\\ud83c\\udf4e\"", "\"\\\\\\\"ä\"", long])
        case "bool": return pick(["true", "false"])
        case "bytes": return pick(["\"\"", "\"AA==\"", "\"AP8QIA\"", "\"-_-_\"", long])
        case "id16": return pick(["\"\"", "\"5B8EFFF798038103D269B633813FC60C\""])
        case "id8": return pick(["\"\"", "\"eee19b7ec3c1b174\""])
        case "double": return pick(Self.doubles)
        case "enum": return pick(Self.enumerations)
        case "int32": return pick(["0", "1", "-1", "2147483647", "\"-2147483648\"", "1e3"])
        case "uint32": return pick(["0", "1", "4294967295", "\"4294967295\"", "4e9"])
        case "int64": return pick(["0", "\"-1\"", "\"9223372036854775807\"", "-1e18"])
        case "uint64": return pick(["0", "\"1\"", "18446744073709551615", "1e19"])
        default: return budget > 0 ? message(type) : "{}"
        }
    }

    private static let doubles = [
        "0", "-0.0", "1.5", "\"NaN\"", "\"-Infinity\"", "5e-324", "1.7976931348623157e308",
        "\"0.1\"",
    ]

    /// Most fit in 32 bits.
    private static let enumerations = [
        "0", "1", "2", "99", "-1", "2147483647", "-2147483648", "\"SPAN_KIND_SERVER\"", "\"LOUD\"",
        "2e9", "0", "1", "2", "3", "4", "5", "9", "17", "2147483648", "-2147483649", "1e18",
        "4611686018427387904", "9223372036854775807", "-9223372036854775808",
    ]

    /// Longer than a one-byte length.
    private let long = "\"\(String(repeating: "abcd", count: 50))\""

    private mutating func pick(_ values: [String]) -> String {
        values.randomElement(using: &numbers) ?? ""
    }

    private mutating func chance(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &numbers) == 0
    }

    /// The fields of each message and their types. `*` follows the type of a repeated one, and `|`
    /// precedes those that exclude one another.
    private static let fields = [
        "ExportLogsServiceRequest": """
        resourceLogs:ResourceLogs*
        """,
        "ExportTraceServiceRequest": """
        resourceSpans:ResourceSpans*
        """,
        "ExportMetricsServiceRequest": """
        resourceMetrics:ResourceMetrics*
        """,
        "ResourceLogs": """
        resource:Resource scopeLogs:ScopeLogs* schemaUrl:string
        """,
        "ResourceSpans": """
        resource:Resource scopeSpans:ScopeSpans* schemaUrl:string
        """,
        "ResourceMetrics": """
        resource:Resource scopeMetrics:ScopeMetrics* schemaUrl:string
        """,
        "Resource": """
        attributes:KeyValue* droppedAttributesCount:uint32 entityRefs:EntityRef*
        """,
        "ScopeLogs": """
        scope:InstrumentationScope logRecords:LogRecord* schemaUrl:string
        """,
        "ScopeSpans": """
        scope:InstrumentationScope spans:Span* schemaUrl:string
        """,
        "ScopeMetrics": """
        scope:InstrumentationScope metrics:Metric* schemaUrl:string
        """,
        "KeyValue": """
        key:string value:AnyValue keyStrindex:int32
        """,
        "EntityRef": """
        schemaUrl:string type:string idKeys:string* descriptionKeys:string*
        """,
        "InstrumentationScope": """
        name:string version:string attributes:KeyValue* droppedAttributesCount:uint32
        """,
        "LogRecord": """
        timeUnixNano:uint64 observedTimeUnixNano:uint64 severityNumber:enum
        severityText:string body:AnyValue attributes:KeyValue* droppedAttributesCount:uint32
        flags:uint32 traceId:id16 spanId:id8 eventName:string
        """,
        "Span": """
        traceId:id16 spanId:id8 traceState:string parentSpanId:id8 flags:uint32 name:string
        kind:enum startTimeUnixNano:uint64 endTimeUnixNano:uint64 attributes:KeyValue*
        droppedAttributesCount:uint32 events:Event* droppedEventsCount:uint32 links:Link*
        droppedLinksCount:uint32 status:Status
        """,
        "Metric": """
        name:string description:string unit:string |gauge:Gauge |sum:Sum |histogram:Histogram
        |exponentialHistogram:ExponentialHistogram |summary:Summary metadata:KeyValue*
        """,
        "AnyValue": """
        |stringValue:string |boolValue:bool |intValue:int64 |doubleValue:double
        |arrayValue:ArrayValue |kvlistValue:KeyValueList |bytesValue:bytes
        |stringValueStrindex:int32
        """,
        "Event": """
        timeUnixNano:uint64 name:string attributes:KeyValue* droppedAttributesCount:uint32
        """,
        "Link": """
        traceId:id16 spanId:id8 traceState:string attributes:KeyValue*
        droppedAttributesCount:uint32 flags:uint32
        """,
        "Status": """
        message:string code:enum
        """,
        "Gauge": """
        dataPoints:NumberDataPoint*
        """,
        "Sum": """
        dataPoints:NumberDataPoint* aggregationTemporality:enum isMonotonic:bool
        """,
        "Histogram": """
        dataPoints:HistogramDataPoint* aggregationTemporality:enum
        """,
        "ExponentialHistogram": """
        dataPoints:ExponentialHistogramDataPoint* aggregationTemporality:enum
        """,
        "Summary": """
        dataPoints:SummaryDataPoint*
        """,
        "ArrayValue": """
        values:AnyValue*
        """,
        "KeyValueList": """
        values:KeyValue*
        """,
        "NumberDataPoint": """
        attributes:KeyValue* startTimeUnixNano:uint64 timeUnixNano:uint64 |asDouble:double
        |asInt:int64 exemplars:Exemplar* flags:uint32
        """,
        "HistogramDataPoint": """
        attributes:KeyValue* startTimeUnixNano:uint64 timeUnixNano:uint64 count:uint64
        sum:double bucketCounts:uint64* explicitBounds:double* exemplars:Exemplar*
        flags:uint32 min:double max:double
        """,
        "ExponentialHistogramDataPoint": """
        attributes:KeyValue* startTimeUnixNano:uint64 timeUnixNano:uint64 count:uint64
        sum:double scale:int32 zeroCount:uint64 positive:Buckets negative:Buckets
        flags:uint32 exemplars:Exemplar* min:double max:double zeroThreshold:double
        """,
        "SummaryDataPoint": """
        attributes:KeyValue* startTimeUnixNano:uint64 timeUnixNano:uint64 count:uint64
        sum:double quantileValues:ValueAtQuantile* flags:uint32
        """,
        "Exemplar": """
        filteredAttributes:KeyValue* timeUnixNano:uint64 |asDouble:double |asInt:int64
        spanId:id8 traceId:id16
        """,
        "Buckets": """
        offset:int32 bucketCounts:uint64*
        """,
        "ValueAtQuantile": """
        quantile:double value:double
        """,
    ]
}
