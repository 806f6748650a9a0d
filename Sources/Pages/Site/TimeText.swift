import CallStacks
import FoundationEssentials
import HTMLText

/// A time as pages show it: the age, with the exact time as a tooltip.
struct TimeText {
    let time: UnixTime
    let now: UnixTime

    private static let exactStyle = Date.ISO8601FormatStyle()

    func write(to html: inout HTMLWriter) {
        let exact = Date(timeIntervalSince1970: time.seconds).formatted(Self.exactStyle)
        html.element("time", [HTMLAttribute("datetime", exact), .title(exact)], text: age)
    }

    /// `just now`, `5 min ago`, `3 h ago`, `12 d ago`
    var age: String {
        let seconds = Int(max(now.seconds - time.seconds, 0))
        switch seconds {
        case ..<60: return "just now"
        case ..<3_600: return "\(seconds / 60) min ago"
        case ..<86_400: return "\(seconds / 3_600) h ago"
        default: return "\(seconds / 86_400) d ago"
        }
    }
}
