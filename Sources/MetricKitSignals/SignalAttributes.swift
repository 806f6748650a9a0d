import JSONText
import OTLP

/// The attributes of one span or record, with what was noticed while they were made.
///
/// Nothing is dropped unseen: what cannot be read stays as text under the name of its attribute,
/// what nobody knows under a name of its own, and both are counted and said.
struct SignalAttributes {
    private(set) var attributes: [KeyValue] = []
    private(set) var remarks: [ConversionRemark] = []
    private(set) var problems = ConversionProblems()
    private var carriedCount = 0

    /// How much of what nobody knows is carried along: members of one signal, and bytes of one text.
    static let carriedLimit = 64
    static let textLimit = 4_096
    static let nameLimit = 256

    static let carriedPrefix = "metrickit.unmapped."
    static let errorKey = "symbolist.conversion.error"
    static let unreadKey = "symbolist.conversion.unread"
    static let remarksKey = "symbolist.conversion.remarks"

    /// All of them, with those that say what was noticed.
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

    /// Makes an attribute of a value that was received.
    ///
    /// - Parameter path: Where it stands, for what is said about it.
    mutating func add(
        _ key: String, _ json: JSONValue, at path: String, as reading: FieldReading
    ) {
        guard json.kind != .null else { return }
        switch reading.result(of: json) {
        case .value(let value): set(key, value)
        case .ambiguous(let value):
            set(key, value)
            note(.numberAmbiguous)
        case .partial(let value, let problem):
            problems.add("\(path): \(problem)")
            if let value {
                set(key, value)
                carry(json, at: path)
            } else {
                keepText(key, json, path)
            }
        case .none: return
        case .unread(let problem):
            problems.add("\(path): \(problem)")
            keepText(key, json, path)
        }
    }

    /// Carries along what nobody knows.
    mutating func carry(_ json: JSONValue, at path: String) {
        guard json.kind != .null else { return }
        guard carriedCount < Self.carriedLimit else {
            problems.add("\(path): is beyond the limit of unknown members")
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
        case .string, .object, .array, .null: keepText(key, json, path)
        }
    }

    mutating func note(_ remark: ConversionRemark) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    mutating func note(problem: String) { problems.add(problem) }

    private mutating func keepText(_ key: String, _ json: JSONValue, _ path: String) {
        let text = json.verbatim
        let kept = text.cut(to: Self.textLimit)
        if kept.utf8.count < text.utf8.count {
            problems.add("\(path): was cut to \(Self.textLimit) bytes")
        }
        attributes.set(key, kept)
    }
}

/// Something about a conversion that a reader of its signals should know, and that is no loss.
///
/// The raw values are stable: programs read them.
package enum ConversionRemark: String, Hashable, Sendable, CaseIterable {
    /// A lone full stop before three digits was taken for a separator of thousands.
    case numberAmbiguous = "number_ambiguous"
    /// A date names no zone, as recent systems write them, and was taken for UTC.
    case zoneAssumedUTC = "zone_assumed_utc"
    /// A date lies before MetricKit or in the future; the time of reception stands for it.
    case dateImplausible = "date_implausible"
}

/// What could not be understood, counted, and said as far as there is room.
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
    /// At most so many bytes of it, no character cut in two.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
