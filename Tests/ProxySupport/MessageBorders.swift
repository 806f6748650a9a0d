/// Finds the ends of messages in one direction of a connection to PostgreSQL.
struct MessageBorders {
    /// The first bytes of a message: its type, if it has one, and its length.
    private var header: [UInt8] = []
    /// The bytes of the message that are still missing.
    private var missing = 0
    /// Whether the next message has no type, as a client's first one.
    private var isUntyped: Bool

    init(ofClient isClient: Bool) { isUntyped = isClient }

    /// Takes the next bytes, and returns the offsets in them at which messages end.
    mutating func ends(in bytes: some Collection<UInt8>) -> [Int] {
        var ends: [Int] = []
        for (index, byte) in bytes.enumerated() {
            if missing > 0 {
                missing -= 1
            } else {
                header.append(byte)
                guard header.count == (isUntyped ? 4 : 5) else { continue }
                // The length includes itself.
                missing = header.suffix(4).reduce(0) { $0 << 8 | Int($1) } - 4
                header = []
                isUntyped = false
            }
            if missing == 0 { ends.append(index + 1) }
        }
        return ends
    }
}
