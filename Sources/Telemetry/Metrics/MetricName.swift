/// Names that are valid in the exposition format, with the suffixes that its conventions require.
enum MetricName {
    /// Returns the name of a metric: `http_server_requests_total` for a counter
    /// `http.server.requests`. The name of a timer ends in its unit.
    static func of(_ label: String, _ instrument: MetricInstrument) -> String {
        let name = restricted(label, allowingColons: true)
        switch instrument {
        case .counter: return ended(name, by: "_total")
        case .timer: return ended(name, by: "_seconds")
        case .gauge, .histogram: return name
        }
    }

    /// Returns the name with invalid characters replaced by `_`.
    static func restricted(_ name: String, allowingColons: Bool) -> String {
        var bytes = name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                byte
            case UInt8(ascii: ":") where allowingColons: byte
            default: UInt8(ascii: "_")
            }
        }
        let startsWell = bytes.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } ?? false
        if !startsWell { bytes.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func ended(_ name: String, by ending: String) -> String {
        name.hasSuffix(ending) ? name : name + ending
    }
}
