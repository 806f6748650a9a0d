import ByteReading
import Ingest

/// A compact list of the diagnostics of a run that wait for an image: in ascending order, the
/// difference of each entry from the previous one, and the position, each as LEB128.
struct PostingList {
    private(set) var bytes: [UInt8] = []

    init(_ addresses: [RecordAddress]) {
        var last: Int64 = 0
        for address in addresses.sorted(by: <) {
            bytes.append(uleb128: UInt64(bitPattern: address.entry &- last))
            bytes.append(uleb128: UInt64(bitPattern: Int64(address.position)))
            last = address.entry
        }
    }

    /// - Throws: `JournalError` if the bytes are not a valid list.
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
        guard let number = bytes.popULEB128() else {
            throw JournalError.damage("a list of waiting diagnostics")
        }
        return number
    }
}
