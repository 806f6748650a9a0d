import MetricKitPayloads
import Testing

/// The zone that a sender names for dates without one.
@Suite("Zones of payloads")
struct PayloadZoneTests {
    private func added(_ zone: String, to payloads: String) throws -> String {
        let zone = try #require(PayloadZone(zone))
        return String(decoding: zone.added(toPayloads: Array(payloads.utf8)), as: UTF8.self)
    }

    @Test("both ends of a period get the zone, in any order of the members")
    func bothEnds() throws {
        #expect(
            try added(
                "+0800",
                to:
                    #"{"timeStampEnd":"2026-11-20 10:00:00", "x":1,"timeStampBegin" : "2026-11-20T08:00:00"}"#
            )
                == #"{"timeStampEnd":"2026-11-20 10:00:00 +0800", "x":1,"timeStampBegin" : "2026-11-20T08:00:00+0800"}"#
        )
    }

    @Test(
        "a date with a zone and anything that is not the date of a payload is unchanged",
        arguments: [
            #"{"timeStampEnd": "2026-11-20 10:00:00 +0000"}"#,
            #"{"timeStampEnd": "2026-11-20T10:00:00Z", "timeStampBegin": 800000000}"#,
            #"{"metaData": {"timeStampEnd": "2026-11-20 10:00:00"}, "timeStampEnd": "soon"}"#,
            "(\n0 Shop 0x1 main + 3\n)", "", "  \n",
        ])
    func unchanged(payload: String) throws {
        #expect(try added("-05:30", to: payload) == payload)
    }

    @Test("every payload of several gets the zone, also a truncated one")
    func several() throws {
        let payload = #"{"timeStampEnd": "2026-11-20 10:00:00"}"#
        let zoned = #"{"timeStampEnd": "2026-11-20 10:00:00 Z"}"#
        #expect(
            try added("Z", to: "\(payload)\n\(payload.dropLast()), \"cut\": {")
                == "\(zoned)\n\(zoned.dropLast()), \"cut\": {")
    }

    @Test(
        "only an offset from UTC is a zone",
        arguments: ["", "CET", "0800", "+8", "+1960", "+080", "+0800 ", "Europe/Zurich"])
    func invalid(zone: String) {
        #expect(PayloadZone(zone) == nil)
    }
}
