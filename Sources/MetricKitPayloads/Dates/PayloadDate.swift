public import CallStacks

/// A point in time in the formats of payloads.
///
/// The formats are `2022-10-24 08:16:00 +0000`, the same without a zone, which means UTC, and ISO
/// 8601.
public struct PayloadDate: Hashable, Sendable {
    public let time: UnixTime
    public let hasZone: Bool

    /// Returns `nil` if the text is not a date of the years 1970 to 9999.
    public init?(_ text: String) {
        var reader = DateReader(text: Array(text.utf8))
        guard let time = reader.read() else { return nil }
        self.time = time
        hasZone = reader.hasZone
    }
}

/// Parses digits and punctuation from the front of a text.
private struct DateReader {
    let text: [UInt8]
    var position = 0
    var hasZone = false

    mutating func read() -> UnixTime? {
        guard let year = number(4), mark("-"), let month = number(2), mark("-"),
            let day = number(2), (1970...9999).contains(year), (1...12).contains(month),
            (1...31).contains(day), mark("T") || mark(" "), let hour = number(2), mark(":"),
            let minute = number(2), mark(":"), let second = number(2), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let fraction = milliseconds()
        while mark(" ") {}
        guard let zone = zoneMinutes() else { return nil }
        let date = GregorianDate(year: Int64(year), month: Int64(month), day: Int64(day))
        let days = Int(date.daysSince1970)
        // Not every month has 31 days.
        guard GregorianDate(daysSince1970: Int64(days)) == date else { return nil }
        let seconds = ((days * 24 + hour) * 60 + minute - zone) * 60 + second
        return UnixTime(rawValue: Int64(seconds * 1_000 + fraction))
    }

    /// Parses the fraction of the seconds, truncated to milliseconds.
    private mutating func milliseconds() -> Int {
        guard mark(".") || mark(",") else { return 0 }
        var value = 0
        var scale = 100
        while let digit = digit() {
            value += digit * scale
            scale /= 10
        }
        return value
    }

    /// Parses `Z`, `+0200`, `+02:00`, or nothing. Returns `nil` for anything else.
    private mutating func zoneMinutes() -> Int? {
        if position == text.count { return 0 }
        hasZone = true
        if mark("Z") { return position == text.count ? 0 : nil }
        let isNegative = mark("-")
        guard isNegative || mark("+"), let hours = number(2) else { return nil }
        _ = mark(":")
        guard let minutes = number(2), position == text.count, hours <= 18, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }

    private mutating func mark(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < text.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position])
        else { return nil }
        defer { position += 1 }
        return Int(text[position] - UInt8(ascii: "0"))
    }

    private mutating func number(_ count: Int) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
