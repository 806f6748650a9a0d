import CallStacks
import JSONText
import MetricKitPayloads

/// The time that a payload covers.
struct PayloadPeriod {
    /// One end of it, as it was received.
    struct Moment {
        /// `nil` where nothing was sent, or nothing that is a date, or none that can be right.
        var time: UnixTime?
        var remarks: [ConversionRemark] = []
        /// Whether something was sent that is no date.
        var isUnread = false
    }

    let begin: Moment
    let end: Moment
    /// What stands for the ends in signals: they are never the wrong way round.
    let start: UnixTime
    let stop: UnixTime

    /// 2019-01-01, half a year before the first system with MetricKit.
    private static let earliest = UnixTime(rawValue: 1_546_300_800_000)
    /// How far a clock may be ahead, in seconds.
    private static let aheadSeconds: Int64 = 48 * 3_600

    /// - Parameter arrival: When the payload was received; it stands for what is missing.
    init(begin: JSONValue?, end: JSONValue?, arrival: UnixTime) {
        var begin = Self.moment(begin, arrival)
        let end = Self.moment(end, arrival)
        stop = end.time ?? (end.isMissing ? begin.time : nil) ?? arrival
        start = min(begin.time ?? (begin.isMissing ? stop : arrival), stop)
        if begin.time != nil { begin.time = start }
        self.begin = begin
        self.end = end
    }

    /// Of a payload, or of a report of iOS 27.
    init(of payload: JSONValue?, arrival: UnixTime) {
        let range = payload?["timeRange"]
        self.init(
            begin: payload?["timeStampBegin"] ?? range?["begin"],
            end: payload?["timeStampEnd"] ?? range?["end"], arrival: arrival)
    }

    private static func moment(_ json: JSONValue?, _ arrival: UnixTime) -> Moment {
        guard let json, json.kind != .null else { return Moment() }
        guard let (time, hasZone) = date(json) else { return Moment(isUnread: true) }
        guard time >= earliest, time <= arrival.advanced(seconds: aheadSeconds) else {
            return Moment(remarks: [.dateImplausible])
        }
        return Moment(time: time, remarks: hasZone ? [] : [.zoneAssumedUTC])
    }

    /// A text; or a number, which counts seconds since 2001-01-01, or seconds or milliseconds since
    /// 1970-01-01, as its size tells.
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
