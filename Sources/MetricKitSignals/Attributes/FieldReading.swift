import JSONText
import OTLP

/// The conversion of a member's value to an attribute's value.
enum FieldReading: Hashable {
    case text
    /// True or false, which may be written as 1 and 0, and as strings.
    case flag
    /// A 64-bit number. An unsigned number above the signed range keeps its bit pattern, because
    /// OTLP has only signed integers.
    case integer
    /// An integer that payloads omit if it is zero.
    case count
    case measurement(Measurement.Dimension)
    /// A measurement, or an object with one as `averageValue`.
    case average(Measurement.Dimension)
    case mean(Measurement.Dimension)
    /// A system with its version, which iOS 27 sends in parts.
    case system
    /// A text unchanged, anything else as compact JSON.
    case verbatim

    enum Result {
        case value(AnyValue.OneOf_Value)
        /// A value with an ambiguous separator.
        case ambiguous(AnyValue.OneOf_Value)
        /// The value of a histogram without its invalid buckets.
        case partial(AnyValue.OneOf_Value?, String)
        /// No value, because the count is 0.
        case none
        case unread(String)
        /// A measurement without a number, or with a unit that is not known.
        case unknownUnit
    }

    func result(of json: JSONValue) -> Result {
        switch self {
        case .text: json.string.map { .value(.stringValue($0)) } ?? .unread("is not a text")
        case .flag: json.flag.map { .value(.boolValue($0)) } ?? .unread("is neither true nor false")
        case .integer, .count:
            json.integer.map { .value(.intValue($0)) } ?? .unread("is not a 64-bit integer")
        case .measurement(let dimension): Self.measured(json, in: dimension)
        case .average(let dimension): Self.measured(json["averageValue"] ?? json, in: dimension)
        case .mean(let dimension): Self.mean(json, in: dimension)
        case .system:
            json.system.map { .value(.stringValue($0)) } ?? .unread("is not a system version")
        case .verbatim: .value(.stringValue(json.verbatim))
        }
    }

    private static func measured(_ json: JSONValue, in dimension: Measurement.Dimension) -> Result {
        guard let measurement = Measurement(json, of: dimension) else { return .unknownUnit }
        return measurement.isAmbiguous
            ? .ambiguous(.doubleValue(measurement.value))
            : .value(.doubleValue(measurement.value))
    }

    private static func mean(_ json: JSONValue, in dimension: Measurement.Dimension) -> Result {
        guard let histogram = Histogram(json, of: dimension) else {
            return .unread("is not a histogram")
        }
        let mean = histogram.mean.map { AnyValue.OneOf_Value.doubleValue($0) }
        if histogram.unreadCount > 0 {
            return .partial(mean, "\(histogram.unreadCount) buckets are invalid")
        }
        guard let mean else { return .none }
        return histogram.isAmbiguous ? .ambiguous(mean) : .value(mean)
    }
}

extension JSONValue {
    /// `true` and `false`, in all the forms that systems have written.
    var flag: Bool? {
        if let bool { return bool }
        switch string?.lowercased() ?? (kind == .number ? text : "") {
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: return nil
        }
    }

    /// An integer, or a string with a decimal or `0x` number.
    var integer: Int64? {
        switch number {
        case .unsigned(let number): return Int64(bitPattern: number)
        case .negative(let number): return number
        case .real: return nil
        case nil: break
        }
        guard let text = string else { return nil }
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return UInt64(text.dropFirst(2), radix: 16).map(Int64.init(bitPattern:))
        }
        return UInt64(text).map(Int64.init(bitPattern:)) ?? Int64(text)
    }

    /// `iPhone OS 18.1 (22B83)`.
    var system: String? {
        if let string { return string }
        let words = [self["platform"]?.string, self["number"]?.string].compactMap { $0 }
        guard !words.isEmpty else { return nil }
        let build = self["buildNumber"]?.string.map { ["(\($0))"] } ?? []
        return (words + build).joined(separator: " ")
    }

    /// A text unchanged, anything else as compact JSON.
    var verbatim: String {
        if let string { return string }
        var writer = JSONWriter()
        writer.copy(self)
        return writer.text
    }

    private var text: String { String(decoding: rawText, as: UTF8.self) }
}
