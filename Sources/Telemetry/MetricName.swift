/// Names as the exposition format allows them, with the endings that its readers expect.
enum MetricName {
    /// `http.server.requests` of a counter becomes `http_server_requests_total`, and a timer's name
    /// ends in its unit.
    static func of(_ label: String, _ use: MetricUse) -> String {
        let name = restricted(label, allowingColons: true)
        switch use {
        case .counter: return ended(name, by: "_total")
        case .timer: return ended(name, by: "_seconds")
        case .gauge, .histogram: return name
        }
    }

    /// The name with `_` for everything that may not stand in one.
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
