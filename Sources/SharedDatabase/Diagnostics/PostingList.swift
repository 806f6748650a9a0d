import Ingest

/// The diagnostics of a run that wait for an image, in few bytes: in ascending order, the difference
/// of each entry from the previous one, and the position, each in groups of 7 bits.
struct PostingList {
    private(set) var bytes: [UInt8] = []

    init(_ addresses: [RecordAddress]) {
        var last: Int64 = 0
        for address in addresses.sorted(by: <) {
            append(UInt64(bitPattern: address.entry &- last))
            append(UInt64(bitPattern: Int64(address.position)))
            last = address.entry
        }
    }

    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// - Throws: `JournalError` if this program cannot have written the bytes.
    static func addresses(in bytes: [UInt8]) throws(JournalError) -> [RecordAddress] {
        var addresses: [RecordAddress] = []
        var rest = bytes[...]
        var entry: Int64 = 0
        while !rest.isEmpty {
            entry &+= Int64(bitPattern: try number(from: &rest))
            let position = Int64(bitPattern: try number(from: &rest))
            addresses.append(RecordAddress(entry: entry, position: Int(position)))
        }
        return addresses
    }

    private static func number(from bytes: inout ArraySlice<UInt8>) throws(JournalError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { break }
            number |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte & 0x80 == 0 { return number }
        }
        throw JournalError.damage("a list of waiting diagnostics")
    }
}

extension RecordAddress {
    static func < (left: Self, right: Self) -> Bool {
        (left.entry, left.position) < (right.entry, right.position)
    }
}
