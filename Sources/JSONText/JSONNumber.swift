/// The value of a JSON number, exact for 64-bit integers.
///
/// `1.0` and `1e3` are integers too, because some writers format every number as floating point.
public enum JSONNumber: Hashable, Sendable {
    case unsigned(UInt64)
    /// An integer below zero.
    case negative(Int64)
    /// A fraction, or an integer of more than 64 bits; rounded.
    case real(Double)

    /// Parses a number of at most 19 digits and nothing else. Returns `nil` for any other.
    init?(plainDigits bytes: [UInt8], _ range: Range<Int>) {
        guard range.count < 20 else { return nil }
        var value: UInt64 = 0
        for index in range {
            guard bytes[index].isDigit else { return nil }
            value = value * 10 + UInt64(bytes[index] - UInt8(ascii: "0"))
        }
        self = .unsigned(value)
    }

    /// Parses a number whose grammar ``JSONReader`` has checked.
    init(_ digits: ArraySlice<UInt8>) {
        let isNegative = digits.first == .minus
        guard let magnitude = Self.integer(isNegative ? digits.dropFirst() : digits) else {
            self = .real(Double(String(decoding: digits, as: UTF8.self)) ?? .nan)
            return
        }
        if !isNegative || magnitude == 0 {
            self = .unsigned(magnitude)
        } else if magnitude <= UInt64(1) << 63 {
            self = .negative(Int64(truncatingIfNeeded: 0 &- magnitude))
        } else {
            self = .real(-Double(magnitude))
        }
    }

    /// Returns the value of an unsigned number, or `nil` if it is not a 64-bit integer.
    private static func integer(_ digits: ArraySlice<UInt8>) -> UInt64? {
        let mantissa = digits.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let point = mantissa.firstIndex(of: UInt8(ascii: ".")) ?? mantissa.endIndex
        let fraction = mantissa[point...].dropFirst()
        var exponent = Self.exponent(digits[mantissa.endIndex...].dropFirst()) - fraction.count
        var significant = (mantissa[..<point] + fraction)[...]
        while significant.last == UInt8(ascii: "0") {
            significant.removeLast()
            exponent += 1
        }
        if significant.isEmpty { return 0 }
        // A 64-bit integer ends with at most 19 zeros.
        guard exponent >= 0, exponent < 20 else { return nil }
        significant += Array(repeating: UInt8(ascii: "0"), count: exponent)
        return value(significant)
    }

    /// Returns an exponent, limited to a million in both directions.
    private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
        let size = text.drop { !$0.isDigit }.reduce(0) {
            min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000)
        }
        return text.first == .minus ? -size : size
    }

    private static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            if isTooLarge || overflows { return nil }
            value = sum
        }
        return value
    }
}
