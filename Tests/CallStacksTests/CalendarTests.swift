import CallStacks
import Foundation
import Testing

@Suite("Times and dates")
struct CalendarTests {
    @Test(
        "times are written in ISO 8601 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func moments(milliseconds: Int64, text: String) {
        #expect(UnixTime(rawValue: milliseconds).iso8601(includesMilliseconds: true) == text)
    }

    @Test("dates are correct for every day of a 400-year cycle")
    func calendar() {
        let style = Date.ISO8601FormatStyle().year().month().day()
        for day in Int64(0)..<146_097 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let own = UnixTime(rawValue: day * 86_400_000)
            #expect(own.iso8601(includesMilliseconds: true).prefix(10) == date.formatted(style))
        }
    }

    @Test("times to the second have no fraction")
    func seconds() {
        let time = UnixTime(rawValue: 1_769_851_800_999)
        #expect(time.iso8601(includesMilliseconds: false) == "2026-01-31T09:30:00Z")
    }

    @Test("a date and its number of days are converted in both directions")
    func days() {
        for days in stride(from: Int64(-800_000), through: 3_000_000, by: 7) {
            #expect(GregorianDate(daysSince1970: days).daysSince1970 == days)
        }
        let leapDay = GregorianDate(year: 2024, month: 2, day: 29)
        #expect(GregorianDate(daysSince1970: leapDay.daysSince1970) == leapDay)
    }
}
