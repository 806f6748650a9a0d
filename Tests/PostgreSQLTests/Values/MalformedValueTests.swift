import TestSupport
import Testing

@testable import PostgreSQL

/// Values that no server should send: all are errors, and none traps.
@Suite("Malformed values")
struct MalformedValueTests {
    private func bytes<Value>(_ value: Value, _ type: ColumnType<Value>) throws -> [UInt8] {
        var writer = ValueWriter()
        try type.write(value, &writer)
        return writer.bytes
    }

    private func expectPrefixesFail<Value>(_ value: Value, _ type: ColumnType<Value>) throws {
        let whole = try bytes(value, type)
        for count in 0..<whole.count {
            #expect(throws: ValueProblem.self) { try type.value(of: whole.prefix(count)) }
        }
        #expect(throws: ValueProblem.self) { try type.value(of: (whole + [0])[...]) }
    }

    @Test("every prefix of a value is truncated, and every longer one has extra bytes")
    func prefixes() throws {
        try expectPrefixesFail(true, .bool)
        try expectPrefixesFail(1, .int2)
        try expectPrefixesFail(1, .int4)
        try expectPrefixesFail(1, .int8)
        try expectPrefixesFail(1, .float8)
        try expectPrefixesFail(Timestamp(millisecondsSince1970: 0), .timestamptz)
        try expectPrefixesFail([1, 2, 3], .array(of: .int8))
        try expectPrefixesFail(["one", nil], .nullableArray(of: .text))
    }

    @Test("damaged arrays are errors or other values", arguments: UInt64(0)..<200)
    func damage(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var damaged = try bytes([[1, 2], nil, []], .nullableArray(of: .bytea))
        for _ in 0..<3 {
            let index = Int.random(in: 0..<damaged.count, using: &random)
            damaged[index] = UInt8.random(in: .min ... .max, using: &random)
        }
        _ = try? ColumnType.nullableArray(of: .bytea).value(of: damaged[...])
        _ = try? ColumnType.array(of: .bytea).value(of: damaged[...])
    }

    @Test("text that is not UTF-8")
    func encoding() {
        #expect(throws: ValueProblem("is not valid UTF-8")) {
            try ColumnType.text.value(of: [0x61, 0xff])
        }
    }

    @Test("arrays of other types, of two dimensions, and with a false count")
    func arrays() throws {
        let numbers = try bytes([1, 2], .array(of: .int4))
        #expect(throws: ValueProblem("has elements of type 23, not int8")) {
            try ColumnType.array(of: .int8).value(of: numbers[...])
        }
        var square = numbers
        square[3] = 2
        #expect(throws: ValueProblem("has 2 dimensions, not 1")) {
            try ColumnType.array(of: .int4).value(of: square[...])
        }
        var endless = numbers
        endless[12] = 0x7f
        #expect(throws: ValueProblem("is truncated")) {
            try ColumnType.array(of: .int4).value(of: endless[...])
        }
    }

    @Test("a null in an array that has none")
    func nullElement() throws {
        let array = try bytes([1, nil], .nullableArray(of: .int4))
        #expect(throws: ValueProblem("has a null element")) {
            try ColumnType.array(of: .int4).value(of: array[...])
        }
    }
}
