public import Ingest
import PostgreSQL

extension SharedDatabase: DeliveryStatusSource {
    static let heldText = "SELECT count(*) FROM resend WHERE held IS NOT NULL"

    private static let waitingText = """
        SELECT coalesce(sum(waiting) FILTER (WHERE in_app), 0)::int8,
            coalesce(sum(waiting) FILTER (WHERE NOT in_app), 0)::int8
        FROM missing_tally t JOIN missing_image m ON m.id = t.image WHERE NOT m.stored
        """

    /// Returns the status of all lanes.
    public func deliveryStatus() async throws(JournalError) -> DeliveryStatus {
        let oldestArrivals = try await oldestArrivals()
        return try await asJournal {
            var status = DeliveryStatus(oldestArrivals: oldestArrivals)
            if let row = try await read(Self.heldText).first {
                status.heldCount = try row.value(0, .int8)
            }
            if let row = try await read(Self.waitingText).first {
                status.waitingForAppCount = try row.value(0, .int8)
                status.waitingForSystemCount = try row.value(1, .int8)
            }
            return status
        }
    }
}
