/// The body of an entry of ``EntryKind/revision``: the diagnostic that it sends again.
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
        self = .address(
            RecordAddress(
                entry: Int64(bigEndianBytes: body[1..<9]),
                position: Int(Int64(bigEndianBytes: body[9..<17]))))
    }

    public var body: [UInt8] {
        switch self {
        case .uid(let text): Array(text.utf8)
        case .address(let address):
            [Self.mark] + address.entry.bigEndianBytes + Int64(address.position).bigEndianBytes
        }
    }
}
