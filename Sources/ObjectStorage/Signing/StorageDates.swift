import Foundation

extension Date {
    /// The time in UTC in the format of signatures: `20130524T000000Z`.
    var signingTime: String {
        formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted))
    }

    /// The day in UTC: `20130524`.
    var signingDay: String { String(signingTime.prefix { $0 != "T" }) }

    /// Parses a time in a document: `2013-05-24T00:00:00.000Z`, with or without a fraction.
    init?(timestamp text: String) {
        let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
        self = date
    }
}
