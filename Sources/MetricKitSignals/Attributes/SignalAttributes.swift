import JSONText
import OTLP

/// The attributes of one span or record, with the remarks and problems of their conversion.
///
/// Nothing is dropped silently: unreadable values and unknown members become attributes with names
/// of their own, so that each attribute has only one type. Unreadable values are counted and
/// reported.
struct SignalAttributes {
    private(set) var attributes: [KeyValue] = []
    private(set) var remarks: [ConversionRemark] = []
    private(set) var problems = ConversionProblems()
    private var carriedCount = 0

    /// The limits on the unknown members of one signal: their number, and the sizes of a value and
    /// of a name in bytes.
    static let carriedLimit = 64
    static let textLimit = 4_096
    static let nameLimit = 256

    static let carriedPrefix = "metrickit.unmapped."
    static let errorKey = "symbolist.conversion.error"
    static let unreadKey = "symbolist.conversion.unread"
    static let remarksKey = "symbolist.conversion.remarks"

    /// All attributes, including those with remarks and problems.
    var finished: [KeyValue] {
        var attributes = attributes
        if !problems.isEmpty {
            attributes.set(Self.errorKey, problems.text)
            attributes.set(Self.unreadKey, Int64(problems.count))
        }
        if !remarks.isEmpty { attributes[Self.remarksKey] = .strings(remarks.map(\.rawValue)) }
        return attributes
    }

    mutating func set(_ key: String, _ value: AnyValue.OneOf_Value) { attributes[key] = value }

    mutating func set(_ key: String, _ text: String?) {
        if let text { attributes.set(key, text) }
    }

    /// Adds an attribute with a received value.
    ///
    /// - Parameter path: The path of the value, for problems.
    mutating func add(
        _ key: String, _ json: JSONValue, at path: String, as reading: FieldReading
    ) {
        guard json.kind != .null else { return }
        switch reading.result(of: json) {
        case .value(let value): set(key, value)
        case .ambiguous(let value):
            set(key, value)
            add(.numberAmbiguous)
        case .partial(let value, let problem):
            if let value { set(key, value) }
            addUnread(json, at: path, because: problem)
        case .none: return
        case .unknownUnit:
            add(.unitUnknown)
            addUnread(json, at: path, because: "has no known number and unit")
        case .unread(let problem): addUnread(json, at: path, because: problem)
        }
    }

    mutating func addUnread(_ json: JSONValue, at path: String, because problem: String) {
        problems.add("\(path): \(problem)")
        carry(json, at: path)
    }

    mutating func carry(_ json: JSONValue, at path: String) {
        guard json.kind != .null else { return }
        guard carriedCount < Self.carriedLimit else {
            problems.add("\(path): exceeds the limit of unknown members")
            return
        }
        carriedCount += 1
        let key = Self.carriedPrefix + path.cut(to: Self.nameLimit)
        switch json.kind {
        case .bool: set(key, .boolValue(json.bool ?? false))
        case .number:
            if let integer = json.integer {
                set(key, .intValue(integer))
            } else {
                set(key, .doubleValue(json.double ?? .nan))
            }
        case .string, .object, .array, .null: keepText(key, json: json, path: path)
        }
    }

    mutating func add(_ remark: ConversionRemark) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    mutating func add(problem: String) { problems.add(problem) }

    private mutating func keepText(_ key: String, json: JSONValue, path: String) {
        let text = json.verbatim
        let kept = text.cut(to: Self.textLimit)
        if kept.utf8.count < text.utf8.count {
            problems.add("\(path): truncated to \(Self.textLimit) bytes")
        }
        attributes.set(key, kept)
    }
}

/// A fact about a conversion that readers of its signals should know.
///
/// The raw values are stable: programs read them.
package enum ConversionRemark: String, Hashable, Sendable, CaseIterable {
    /// A single full stop before three digits was read as a thousands separator.
    case numberAmbiguous = "number_ambiguous"
    /// A date has no zone, as on recent systems, and was read as UTC.
    case zoneAssumedUTC = "zone_assumed_utc"
    /// A date is before MetricKit or in the future, and was replaced by the time of reception.
    case dateImplausible = "date_implausible"
    /// A measurement has no number, or a unit that is not known, so its attribute is absent.
    case unitUnknown = "unit_unknown"
}

/// The problems of a conversion: their number, and the first texts.
package struct ConversionProblems: Hashable, Sendable {
    package private(set) var count = 0
    package private(set) var texts: [String] = []

    static let textsLimit = 16

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ text: String) {
        count += 1
        if texts.count < Self.textsLimit {
            texts.append(text.cut(to: SignalAttributes.nameLimit))
        }
    }

    package mutating func add(_ other: Self) {
        count += other.count
        texts += other.texts.prefix(Self.textsLimit - texts.count)
    }

    package var text: String {
        let rest = count - texts.count
        return (texts + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
    }
}

extension String {
    /// Returns at most `limit` bytes of the text, without splitting a character.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
