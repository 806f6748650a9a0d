import CallStacks
import JSONText
import MetricKitPayloads

/// The period that a payload covers.
struct PayloadPeriod {
    /// One end of the period, as received.
    struct Moment {
        /// The time, or `nil` if it is missing, invalid or impossible.
        var time: UnixTime?
        var remarks: [ConversionRemark] = []
        /// Whether an invalid date was sent.
        var isUnread = false
    }

    let begin: Moment
    let end: Moment
    /// The start and end of the signals, in ascending order.
    let start: UnixTime
    let stop: UnixTime

    /// 2019-01-01, half a year before the first system with MetricKit.
    private static let earliest = UnixTime(rawValue: 1_546_300_800_000)
    /// The maximum time that a clock may be ahead, in seconds.
    private static let aheadSeconds: Int64 = 48 * 3_600

    /// - Parameter arrival: The time when the payload was received, used for missing ends.
    init(begin: JSONValue?, end: JSONValue?, arrival: UnixTime) {
        var begin = Self.moment(begin, arrival: arrival)
        let end = Self.moment(end, arrival: arrival)
        stop = end.time ?? (end.isMissing ? begin.time : nil) ?? arrival
        start = min(begin.time ?? (begin.isMissing ? stop : arrival), stop)
        if begin.time != nil { begin.time = start }
        self.begin = begin
        self.end = end
    }

    /// Reads the period of a payload, or of a report of iOS 27.
    init(of payload: JSONValue?, arrival: UnixTime) {
        let range = payload?["timeRange"]
        self.init(
            begin: payload?["timeStampBegin"] ?? range?["begin"],
            end: payload?["timeStampEnd"] ?? range?["end"], arrival: arrival)
    }

    private static func moment(_ json: JSONValue?, arrival: UnixTime) -> Moment {
        guard let json, json.kind != .null else { return Moment() }
        guard let (time, hasZone) = date(json) else { return Moment(isUnread: true) }
        guard time >= earliest, time <= arrival.advanced(seconds: aheadSeconds) else {
            return Moment(remarks: [.dateImplausible])
        }
        return Moment(time: time, remarks: hasZone ? [] : [.zoneAssumedUTC])
    }

    /// Reads a string or a number. A number is in seconds since 2001-01-01, or in seconds or
    /// milliseconds since 1970-01-01, depending on its magnitude.
    private static func date(_ json: JSONValue) -> (time: UnixTime, hasZone: Bool)? {
        if let text = json.string { return PayloadDate(text).map { ($0.time, $0.hasZone) } }
        guard let number = json.double else { return nil }
        let seconds =
            if number < 1.2e9 { number + 978_307_200 } else if number < 1e11 { number } else {
                number / 1_000
            }
        guard let milliseconds = Int64(exactly: (seconds * 1_000).rounded()) else { return nil }
        return (UnixTime(rawValue: milliseconds), true)
    }
}

extension PayloadPeriod.Moment {
    fileprivate var isMissing: Bool { time == nil && remarks.isEmpty && !isUnread }
}
