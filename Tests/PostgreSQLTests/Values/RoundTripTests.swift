import Foundation
import PostgreSQL
import PostgreSQLSupport
import TestSupport
import Testing

/// Values on their way to the server and back, and as the server understands them.
@Suite("Values and the server", .ownThreads)
struct RoundTripTests {
    private static let seeds = UInt64(0)..<12

    /// Sends values, and expects them back unchanged, with the server's text of each.
    private func expect<Value: Equatable & Sendable>(
        _ values: [Value], _ type: ColumnType<Value>, as text: String = "$1::text",
        _ expectation: (Value) -> String?
    ) async throws {
        try await withPool { pool in
            let statements = try values.map { value in
                try Statement("SELECT $1, \(text)", [.value(value, type)])
            }
            let results = try await pool.transact(statements, patient)
            #expect(results.count == values.count)
            for (value, result) in zip(values, results) {
                let row = try #require(result.first)
                #expect(try row.value(0, type) == value)
                #expect(try row.optional(1, .text) == expectation(value), "\(value)")
            }
        }
    }

    @Test("Booleans")
    func booleans() async throws {
        try await expect([true, false], .bool) { $0 ? "true" : "false" }
    }

    @Test("integers of 16, 32 and 64 bits", arguments: seeds)
    func integers(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await expect((0..<10).map { _ in random.integer(Int16.self) }, .int2) { "\($0)" }
        try await expect((0..<10).map { _ in random.integer(Int32.self) }, .int4) { "\($0)" }
        try await expect((0..<10).map { _ in random.integer(Int64.self) }, .int8) { "\($0)" }
    }

    @Test("floating-point numbers", arguments: seeds)
    func numbers(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let doubles = (0..<20).map { _ in random.double() }
        // The server writes the shortest text that is read as the same number, as Swift does.
        try await withPool { pool in
            for double in doubles {
                let result = try await pool.run(
                    "SELECT $1, $1::text", [.value(double, .float8)])
                let row = try #require(result.first)
                #expect(try row.value(0, .float8).bitPattern == double.bitPattern)
                let text = try row.value(1, .text).replacing("Infinity", with: "inf")
                #expect(Double(text)?.bitPattern == double.bitPattern, "\(text) \(double)")
            }
            let nan = try await pool.value(.float8, "SELECT $1", [.value(.nan, .float8)])
            #expect(nan?.isNaN == true)
        }
    }

    @Test("text of all planes", arguments: seeds)
    func texts(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let texts = (0..<20).map { _ in random.text() }
        // Swift compares texts by their meaning, but the bytes must be the same.
        try await expect(texts.map { Array($0.utf8) }, .bytea, as: "convert_from($1, 'UTF8')") {
            String(decoding: $0, as: UTF8.self)
        }
        try await expect(texts, .text, as: "encode(convert_to($1, 'UTF8'), 'hex')") {
            $0.utf8.map { byte in String(format: "%02x", byte) }.joined()
        }
    }

    @Test("bytes", arguments: seeds)
    func bytes(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await expect((0..<20).map { _ in random.bytes() }, .bytea) {
            "\\x" + $0.map { byte in String(format: "%02x", byte) }.joined()
        }
    }

    @Test("UUIDs", arguments: seeds)
    func uuids(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await expect((0..<20).map { _ in random.uuid() }, .uuid) { $0.uuidString.lowercased() }
    }

    @Test("moments", arguments: seeds)
    func moments(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let moments = (0..<20).map { _ in random.timestamp() }
        let text = """
            CASE WHEN isfinite($1)
            THEN ((extract(epoch FROM $1) - 946684800) * 1000000)::bigint::text ELSE $1::text END
            """
        try await expect(moments, .timestamptz, as: text) { moment in
            switch moment {
            case .infinity: "infinity"
            case .negativeInfinity: "-infinity"
            default: "\(moment.microsecondsSince2000)"
            }
        }
    }

    @Test("arrays", arguments: seeds)
    func arrays(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let numbers = (0..<5).map { _ in random.array { $0.integer(Int64.self) } }
        try await expect(numbers, .array(of: .int8)) { numbers in
            "{\(numbers.map { "\($0)" }.joined(separator: ","))}"
        }
        try await expect((0..<5).map { _ in random.array { $0.integer() } }, .array(of: .int2)) {
            numbers in
            "{\(numbers.map { "\($0)" }.joined(separator: ","))}"
        }
        let nullable = (0..<5).map { _ in random.array { $0.optional { $0.integer(Int32.self) } } }
        try await expect(nullable, .nullableArray(of: .int4)) { numbers in
            "{\(numbers.map { $0.map { "\($0)" } ?? "NULL" }.joined(separator: ","))}"
        }
        let uuids = (0..<5).map { _ in random.array { $0.optional { $0.uuid() } } }
        try await expect(uuids, .nullableArray(of: .uuid)) { uuids in
            "{\(uuids.map { $0?.uuidString.lowercased() ?? "NULL" }.joined(separator: ","))}"
        }
    }

    @Test("arrays of text and bytes, which the server unnests in order", arguments: seeds)
    func unnested(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let texts = random.array { $0.optional { $0.text() } }
        let bodies = texts.map { _ in random.optional { $0.bytes(upTo: 5000) } }
        try await withPool { pool in
            let result = try await pool.run(
                "SELECT t, b FROM unnest($1, $2) WITH ORDINALITY AS u (t, b, n) ORDER BY n",
                [
                    .value(texts, .nullableArray(of: .text)),
                    .value(bodies, .nullableArray(of: .bytea)),
                ])
            #expect(try result.map { row in try row.optional(0, .text) } == texts)
            #expect(try result.map { row in try row.optional(1, .bytea) } == bodies)
        }
    }

    @Test("nulls of every type")
    func nulls() async throws {
        try await withPool { pool in
            let result = try await pool.run(
                "SELECT $1, $2, $3, $4, $5",
                [
                    .optional(nil, .bool), .optional(nil, .int8), .optional(nil, .text),
                    .optional(nil, .bytea), .optional(nil, .array(of: .uuid)),
                ])
            let row = try #require(result.first)
            #expect(try row.optional(0, .bool) == nil)
            #expect(try row.optional(1, .int8) == nil)
            #expect(try row.optional(2, .text) == nil)
            #expect(try row.optional(3, .bytea) == nil)
            #expect(try row.optional(4, .array(of: .uuid)) == nil)
            #expect(throws: DatabaseError.invalidValue(column: "?column?", detail: "is null")) {
                try row.value(0, .bool)
            }
        }
    }

    @Test("a column of another type is an error and not a wrong value")
    func otherTypes() async throws {
        try await withPool { pool in
            let result = try await pool.run("SELECT count(*) AS n, 'x'::varchar(3) AS v")
            let row = try #require(result.first)
            #expect(try row.value(0, .int8) == 1)
            #expect(try row.value(1, .text) == "x")
            #expect(throws: DatabaseError.unexpectedType(column: "n", expected: "int4", found: 20))
            {
                try row.value(0, .int4)
            }
            #expect(throws: DatabaseError.invalidValue(column: "3", detail: "is missing")) {
                try row.value(2, .int4)
            }
        }
    }
}
