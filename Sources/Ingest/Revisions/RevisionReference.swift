/// The body of an entry of ``Signal/revision``: the diagnostic that it sends again.
///
///     ff | entry, 8 bytes | position, 8 bytes     big-endian
///
/// Earlier versions wrote the text of the `log.record.uid`, in which no byte is 0xff.
public enum RevisionReference: Hashable, Sendable {
    case address(RecordAddress)
    case uid(String)

    private static let mark: UInt8 = 0xff

    public init(_ body: [UInt8]) {
        guard body.count == 17, body[0] == Self.mark else {
            self = .uid(String(decoding: body, as: UTF8.self))
            return
        }
        let numbers = [body[1..<9], body[9..<17]].map { bytes in
            bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        self = .address(
            RecordAddress(
                entry: Int64(truncatingIfNeeded: numbers[0]),
                position: Int(truncatingIfNeeded: numbers[1])))
    }

    public var body: [UInt8] {
        switch self {
        case .uid(let text): Array(text.utf8)
        case .address(let address):
            [Self.mark] + Self.bytes(of: address.entry) + Self.bytes(of: Int64(address.position))
        }
    }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
