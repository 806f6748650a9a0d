import NIOCore
import Synchronization

/// Counts the received records and requests.
final class ReceivedCounts: Sendable {
    private struct Counts {
        var requests = 0
        var bytes = 0
        /// The number of records in requests that are not compressed.
        var records = 0
    }

    private let counts = Mutex(Counts())

    func add(_ body: ByteBuffer, isPacked: Bool) {
        let records = isPacked ? 0 : LogRecordWalk(body).count
        counts.withLock { counts in
            counts.requests += 1
            counts.bytes += body.readableBytes
            counts.records += records
        }
    }

    var json: String {
        counts.withLock {
            #"{"requests":\#($0.requests),"bytes":\#($0.bytes),"records":\#($0.records)}"#
        }
    }
}

/// Counts the log records of a protobuf export request without decoding them.
struct LogRecordWalk {
    private(set) var count = 0
    private var buffer: ByteBuffer

    /// The field numbers of `ResourceLogs` in a request, of `ScopeLogs` in those, and of
    /// `LogRecord` in those.
    private static let fields: [UInt64] = [1, 2, 2]

    init(_ body: ByteBuffer) {
        buffer = body
        walk(to: body.writerIndex, level: 0)
    }

    private mutating func walk(to end: Int, level: Int) {
        while buffer.readerIndex < end, let tag = varint() {
            switch tag & 7 {
            case 0: _ = varint()
            case 1: buffer.moveReaderIndex(forwardBy: min(8, buffer.readableBytes))
            case 5: buffer.moveReaderIndex(forwardBy: min(4, buffer.readableBytes))
            case 2: message(isWanted: tag >> 3 == Self.fields[level], level: level)
            default: return
            }
        }
    }

    private mutating func message(isWanted: Bool, level: Int) {
        guard let length = varint(), length <= UInt64(buffer.readableBytes) else {
            buffer.moveReaderIndex(to: buffer.writerIndex)
            return
        }
        let end = buffer.readerIndex + Int(length)
        if isWanted, level == Self.fields.count - 1 { count += 1 }
        if isWanted, level < Self.fields.count - 1 { walk(to: end, level: level + 1) }
        buffer.moveReaderIndex(to: end)
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = buffer.readInteger(as: UInt8.self) else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
