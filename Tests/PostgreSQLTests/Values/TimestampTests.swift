import PostgreSQL
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "milliseconds since 1970 become microseconds since 2000, and back",
        arguments: [
            (0, -946_684_800_000_000), (946_684_800_000, 0), (946_684_799_999, -1000),
            (1_700_000_000_123, 753_315_200_123_000),
        ] as [(Int64, Int64)])
    func conversion(milliseconds: Int64, microseconds: Int64) {
        let timestamp = Timestamp(millisecondsSince1970: milliseconds)
        #expect(timestamp.microsecondsSince2000 == microseconds)
        #expect(timestamp.millisecondsSince1970 == milliseconds)
    }

    @Test("microseconds are rounded down")
    func rounding() {
        #expect(Timestamp(microsecondsSince2000: 1999).millisecondsSince1970 == 946_684_800_001)
        #expect(Timestamp(microsecondsSince2000: -1).millisecondsSince1970 == 946_684_799_999)
    }

    @Test("moments that do not fit are infinities")
    func overflow() {
        #expect(Timestamp(millisecondsSince1970: .max) == .infinity)
        #expect(Timestamp(millisecondsSince1970: .min) == .negativeInfinity)
        #expect(Timestamp.negativeInfinity < Timestamp(millisecondsSince1970: 0))
        #expect(Timestamp.infinity.millisecondsSince1970 > 0)
    }
}
