import ByteReading
import CallStacks

/// The start addresses of functions (`LC_FUNCTION_STARTS`), which `strip` keeps.
///
/// The payload is a list of ULEB128 distances, the first from the start of `__TEXT`, ended by 0 or
/// by the end of the payload. On 32-bit ARM bit 0 of an address marks Thumb code.
struct FunctionStarts {
    private let payload: FileBytes

    init(_ command: ByteCursor, linkEdit: LinkEditData) throws(ReadingError) {
        var cursor = command
        let offset = UInt64(try cursor.number(UInt32.self))
        let size = UInt64(try cursor.number(UInt32.self))
        payload = try linkEdit.slice(at: offset, count: size, subject: "function starts")
    }

    func forEach(
        base: LinkAddress, hasThumbBits: Bool, _ body: (LinkAddress) -> Void
    ) throws(ReadingError) {
        var cursor = ByteCursor(payload)
        var address = base.rawValue
        while !cursor.isAtEnd {
            let distance = try cursor.uleb128()
            if distance == 0 { break }
            let (next, overflow) = address.addingReportingOverflow(distance)
            if overflow { throw cursor.error(.malformed("address does not fit in 64 bits")) }
            address = next
            body(LinkAddress(hasThumbBits ? address & ~1 : address))
        }
    }
}
