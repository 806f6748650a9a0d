import JSONText

/// The zone of a device's clock, for the dates of its payloads, in which recent systems name none.
public struct PayloadZone: Hashable, Sendable {
    private let text: String

    /// Returns `nil` unless the text is an offset from UTC: `+0800`, `-05:30` or `Z`.
    public init?(_ text: String) {
        guard PayloadDate("2000-01-01 00:00:00 " + text)?.hasZone == true else { return nil }
        self.text = text
    }

    /// Returns payloads whose dates name the zone. Dates with a zone of their own, and everything
    /// else, are unchanged.
    ///
    /// Payloads are stored before they are converted, and this way the zone is stored with them.
    ///
    /// - Parameter bytes: One payload, or several as in an upload.
    public func added(toPayloads bytes: [UInt8], limits: PayloadLimits = PayloadLimits()) -> [UInt8]
    {
        var result: [UInt8] = []
        var position = 0
        var splitter = ElementSplitter(
            bytes, in: JSONDetection.trimmed(bytes, in: 0..<bytes.count), limits: limits)
        while let piece = splitter.next() {
            for date in datesWithoutZone(in: piece.document.root) {
                // The range is that between the quotes.
                let end = date.value.range.upperBound
                result += bytes[position..<end] + Array(zone(for: date.text).utf8)
                position = end
            }
        }
        return result + bytes[position...]
    }

    /// The ends of a payload's period that have no zone, in the order of the text.
    private func datesWithoutZone(in payload: JSONValue?) -> [(value: JSONValue, text: String)] {
        guard let payload else { return [] }
        return ["timeStampBegin", "timeStampEnd"].compactMap { key in
            guard let value = payload[key], let text = value.string,
                PayloadDate(text)?.hasZone == false
            else { return nil }
            return (value, text)
        }.sorted { $0.value.range.lowerBound < $1.value.range.lowerBound }
    }

    /// ISO 8601 has no space before the zone.
    private func zone(for date: String) -> String { date.contains("T") ? text : " " + text }
}
