import CallStacks
import MetricKitSignals
import OTLP
import TestSupport
import Testing

/// The time of reception in these tests: 2026-11-21T08:00:00Z.
let arrival = UnixTime(rawValue: 1_795_248_000_000)

/// Returns the signals of a payload.
func signals(_ text: String, hasAdditions: Bool = true) -> PayloadSignals {
    let bytes = Array(text.utf8)
    return PayloadSignals(
        of: bytes,
        context: ConversionContext(
            arrival: arrival, identity: SignalIdentity(of: bytes), hasAdditions: hasAdditions))
}

extension PayloadSignals {
    var spans: [Span] { traces?.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) ?? [] }

    func spanAttributes(_ index: Int = 0) -> [String: AnyValue.OneOf_Value] {
        spans.indices.contains(index) ? spans[index].attributes.byKey : [:]
    }

    func recordAttributes(_ index: Int = 0) -> [String: AnyValue.OneOf_Value] {
        records.indices.contains(index) ? records[index].record.attributes.byKey : [:]
    }
}

extension [KeyValue] {
    /// The attributes by key; every key is unique.
    var byKey: [String: AnyValue.OneOf_Value] {
        var values: [String: AnyValue.OneOf_Value] = [:]
        for attribute in self {
            #expect(values[attribute.key] == nil, "\(attribute.key) twice")
            values[attribute.key] = attribute.value.value
        }
        return values
    }
}

func seconds(_ time: UInt64) -> Double { Double(time) / 1e9 }
