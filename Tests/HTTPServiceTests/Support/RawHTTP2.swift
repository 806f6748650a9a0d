import NIOCore
import NIOHPACK

/// An HTTP/2 client that sends arbitrary frames, one after another.
struct RawHTTP2 {
    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]

        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8

        var endsStream: Bool { [Self.data, Self.headers].contains(type) && flags & 1 != 0 }
        var acknowledges: Bool { [Self.settings, Self.ping].contains(type) && flags & 1 != 0 }
        /// The number in the payload of a reset or window update.
        var number: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The response to a call.
    struct Ending {
        var fields = HPACKHeaders()
        var messages: [[UInt8]] = []
        /// The code of the frame that resets the stream, or `nil` if there is none.
        var reset: Int?
        var isAnswered = false

        var status: String? { fields.first(name: "grpc-status") }
        var message: String { fields.first(name: "grpc-message") ?? "" }
    }

    let connection: RawConnection
    private var unread: [UInt8] = []
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private(set) var endings: [Int: Ending] = [:]
    /// The flow-control window of the connection, in bytes.
    private(set) var window = 65_535
    private(set) var isClosed = false

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// The largest payload that every server accepts.
    static let frameLimit = 16_384

    static func open(port: Int) async throws -> RawHTTP2 {
        var client = RawHTTP2(connection: try await RawConnection.open(port: port))
        try await client.connection.send(preface)
        try await client.send(Frame.settings, stream: 0)
        return client
    }

    init(connection: RawConnection) { self.connection = connection }

    mutating func send(
        _ type: UInt8, flags: UInt8 = 0, stream: Int, _ payload: [UInt8] = []
    ) async throws {
        let count = payload.count
        let head = [UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags]
        try await connection.send(head + Self.bytes(of: stream) + payload)
    }

    /// Sends the headers of a call.
    mutating func call(
        _ stream: Int, _ path: String = "/\(RawHTTP2.logs)", _ more: [(String, String)] = [],
        isWhole: Bool = false
    ) async throws {
        let fields =
            [
                (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "a"),
                ("content-type", "application/grpc"), ("te", "trailers"),
            ] + more
        try await headers(stream, fields, isWhole: isWhole)
    }

    static let logs = "opentelemetry.proto.collector.logs.v1.LogsService/Export"

    /// Sends headers as literals that are not indexed (RFC 7541, section 6.2.2).
    mutating func headers(
        _ stream: Int, _ fields: [(String, String)], isWhole: Bool
    ) async throws {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)]
            block += value.utf8
        }
        try await send(Frame.headers, flags: isWhole ? 5 : 4, stream: stream, block)
    }

    /// Sends bytes as the flow-control window allows.
    mutating func data(_ stream: Int, _ bytes: [UInt8], isWhole: Bool = false) async throws {
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(Self.frameLimit)
            rest = rest.dropFirst(piece.count)
            while window < piece.count, await receive() {}
            guard !isClosed else { return }
            window -= piece.count
            try await send(
                Frame.data, flags: isWhole && rest.isEmpty ? 1 : 0, stream: stream, Array(piece))
        } while !rest.isEmpty
    }

    /// Returns a length-prefixed message.
    static func message(_ bytes: [UInt8], count: Int? = nil, isCompressed: Bool = false) -> [UInt8]
    {
        [isCompressed ? 1 : 0] + Self.bytes(of: count ?? bytes.count) + bytes
    }

    private static func bytes(of number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Receives until a call has its response and its stream has ended.
    mutating func ending(of stream: Int, isWhole: Bool = false) async -> Ending {
        while !isClosed {
            if let ending = endings[stream], ending.isAnswered, isWhole || ending.reset != nil {
                return ending
            }
            _ = await receive()
        }
        return endings[stream] ?? Ending()
    }

    /// Closes the connection, because a client that does not respond would delay a graceful stop.
    func close() async { try? await connection.close() }

    /// Receives until the server closes the connection.
    mutating func drain() async { while await receive() {} }

    /// - Returns: Whether any bytes were received.
    mutating func receive() async -> Bool {
        guard let bytes = await connection.next() else {
            isClosed = true
            return false
        }
        unread += bytes
        while let frame = nextFrame() { await take(frame) }
        return true
    }

    private mutating func nextFrame() -> Frame? {
        guard unread.count >= 9 else { return nil }
        let count = unread[0..<3].reduce(0) { $0 << 8 | Int($1) }
        guard unread.count >= 9 + count else { return nil }
        let stream = unread[5..<9].reduce(0) { $0 << 8 | Int($1) }
        let payload = Array(unread[9..<9 + count])
        let frame = Frame(type: unread[3], flags: unread[4], stream: stream, payload: payload)
        unread.removeFirst(9 + count)
        return frame
    }

    private mutating func take(_ frame: Frame) async {
        switch frame.type {
        case Frame.settings where !frame.acknowledges, Frame.ping where !frame.acknowledges:
            let payload = frame.type == Frame.ping ? frame.payload : []
            try? await send(frame.type, flags: 1, stream: 0, payload)
        case Frame.windowUpdate where frame.stream == 0: window += frame.number
        case Frame.headers:
            var block = ByteBuffer(bytes: frame.payload)
            if let fields = try? decoder.decodeHeaders(from: &block) {
                endings[frame.stream, default: Ending()].fields.add(contentsOf: fields)
            }
        case Frame.data:
            endings[frame.stream, default: Ending()].messages.append(frame.payload)
        case Frame.reset: endings[frame.stream, default: Ending()].reset = frame.number
        default: break
        }
        if frame.endsStream { endings[frame.stream, default: Ending()].isAnswered = true }
    }
}
