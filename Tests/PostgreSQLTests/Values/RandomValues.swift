import Foundation
import PostgreSQL
import TestSupport

/// Random values, with the extreme ones among them.
extension SplitMix64 {
    mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        let extremes: [Number] = [.min, .max, 0, 1]
        return Int.random(in: 0..<4, using: &self) == 0
            ? extremes.randomElement(using: &self) ?? 0
            : Number(truncatingIfNeeded: next())
    }

    mutating func double() -> Double {
        let extremes: [Double] = [
            0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ]
        if Bool.random(using: &self) { return extremes.randomElement(using: &self) ?? 0 }
        let value = Double(bitPattern: next())
        return value.isNaN ? 1.5 : value
    }

    mutating func bytes(upTo limit: Int = 300) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// Text of all planes of Unicode but without NUL.
    mutating func text(upTo limit: Int = 100) -> String {
        let limits: [UInt32] = [0x7f, 0x7ff, 0xd7ff, 0x10_ffff]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...limit, using: &self) {
            let limit = limits.randomElement(using: &self) ?? 0x7f
            let number = UInt32.random(in: 1...limit, using: &self)
            text.append(Unicode.Scalar(number) ?? "x")
        }
        return String(text)
    }

    mutating func uuid() -> UUID {
        var bytes: uuid_t = UUID().uuid
        unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in bytes.indices {
                unsafe bytes[index] = UInt8.random(in: .min ... .max, using: &self)
            }
        }
        return UUID(uuid: bytes)
    }

    /// A moment that the server accepts, from 4713 BC to 294276 AD.
    mutating func timestamp() -> Timestamp {
        let extremes: [Timestamp] = [.infinity, .negativeInfinity]
        if Int.random(in: 0..<8, using: &self) == 0,
            let value = extremes.randomElement(using: &self)
        {
            return value
        }
        let range: ClosedRange<Int64> =
            Bool.random(using: &self)
            ? -210_866_803_200_000_000...9_223_371_331_199_999_999 : -1_000_000...1_000_000
        return Timestamp(microsecondsSince2000: Int64.random(in: range, using: &self))
    }

    mutating func array<Value>(_ element: (inout SplitMix64) -> Value) -> [Value] {
        (0..<Int.random(in: 0...20, using: &self)).map { _ in element(&self) }
    }

    mutating func optional<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
        Int.random(in: 0..<4, using: &self) == 0 ? nil : value(&self)
    }
}
