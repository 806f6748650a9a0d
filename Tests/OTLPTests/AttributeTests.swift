import Foundation
import OTLP
import SwiftProtobuf
import Testing

@Suite("Attributes")
struct AttributeTests {
    @Test("each kind of value is found only as its own kind")
    func kinds() {
        let values: [AnyValue.OneOf_Value] = [
            .stringValue("7"), .intValue(7), .doubleValue(7), .boolValue(true),
            .bytesValue(Data([7])), .strings(["7", "8"]),
        ]
        for (index, value) in values.enumerated() {
            var attributes: [KeyValue] = []
            attributes["key"] = value
            let found = attributes["key"]
            #expect((found?.string == "7") == (index == 0))
            #expect((found?.integer == 7) == (index == 1))
        }
    }

    @Test("setting replaces in place, or appends; nil removes")
    func setting() {
        var attributes = [
            KeyValue("a", AnyValue(.intValue(1))), KeyValue("b", AnyValue(.intValue(2))),
        ]
        attributes["a"] = .intValue(3)
        attributes["c"] = .intValue(4)
        #expect(attributes.map(\.key) == ["a", "b", "c"])
        #expect(attributes.map(\.value.intValue) == [3, 2, 4])
        attributes["b"] = nil
        attributes["none"] = nil
        #expect(attributes.map(\.key) == ["a", "c"])
    }

    @Test("the first of two attributes with one key counts, and both are removed")
    func duplicates() {
        var attributes = [
            KeyValue("a", AnyValue(.intValue(1))), KeyValue("a", AnyValue(.intValue(2))),
        ]
        #expect(attributes["a"]?.integer == 1)
        attributes["a"] = .intValue(3)
        #expect(attributes.map(\.value.intValue) == [3, 2])
        attributes["a"] = nil
        #expect(attributes.isEmpty)
    }

    @Test("a missing attribute and one without a value are nil")
    func absent() {
        let attributes = [KeyValue("a", AnyValue()), .with { $0.key = "b" }]
        #expect(attributes["a"] == nil)
        #expect(attributes["b"] == nil)
        #expect(attributes["c"] == nil)
    }
}
