import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A TCP proxy whose connections a test delays, throttles, cuts or leaves without a response.
public final class TCPProxy: Sendable {
    public enum Target: Sendable {
        case port(Int)
        case socket(path: String)
    }

    public enum Fault: Hashable, Sendable {
        /// Closes all connections, also new ones.
        case refused
        /// Forwards nothing until the fault ends, and keeps connections open, as a network that
        /// loses packets does.
        case halfOpen
        /// Forwards each piece after a delay.
        case delayed(Duration)
        case throttled(bytesPerSecond: Int)
        /// Closes the connection that forwards a number of further bytes, in both directions
        /// together.
        case cutAfterBytes(Int)
        /// Closes the connection that forwards a number of further messages of PostgreSQL, in both
        /// directions together.
        case cutAfterMessages(Int)
    }

    private struct State {
        var fault: Fault?
        /// See ``TCPProxy/countUntilCut``.
        var left = 0
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private enum Direction {
        case toServer
        case toClient
    }

    /// The end of a connection that the proxy cuts.
    private struct Cut: Error {}

    private typealias Side = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    public let port: Int
    private let state = Mutex(State())
    private let target: Target
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listening: Mutex<Task<Void, any Error>?>

    public init(to target: Target) async throws {
        self.target = target
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { Self.side($0) }
        port = listener.channel.localAddress?.port ?? 0
        listening = Mutex(nil)
        let task = Task(executorPreference: ServerThread()) { [weak self] in
            try await listener.executeThenClose { clients in
                await withDiscardingTaskGroup { group in
                    do {
                        for try await client in clients {
                            group.addTask { await self?.serve(client) }
                        }
                    } catch {}
                }
            }
        }
        listening.withLock { $0 = task }
    }

    /// Closes the proxy with its connections.
    public func close() async throws {
        let task = listening.withLock(\.self)
        task?.cancel()
        closeConnections()
        _ = await task?.result
        try await group.shutdownGracefully()
    }

    /// What the proxy does to connections now, or `nil` if it forwards everything. A cut ends with
    /// the connection that it closes.
    public var fault: Fault? {
        get { state.withLock(\.fault) }
        set {
            state.withLock { state in
                state.fault = newValue
                switch newValue {
                case .cutAfterBytes(let count), .cutAfterMessages(let count): state.left = count
                default: state.left = 0
                }
            }
            if newValue == .refused { closeConnections() }
        }
    }

    /// The bytes or messages that are left until a connection is cut.
    public var countUntilCut: Int { state.withLock(\.left) }

    private func closeConnections() {
        for channel in state.withLock({ Array($0.channels.values) }) {
            channel.close(mode: .all, promise: nil)
        }
    }

    private func serve(_ client: Side) async {
        let id = ObjectIdentifier(client.channel)
        state.withLock { $0.channels[id] = client.channel }
        // A connection that a fault or a peer closes is not an error of the test.
        try? await client.executeThenClose { requests, responses in
            guard fault != .refused else { return }
            let server = try await connect()
            try await server.executeThenClose { serverResponses, serverRequests in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await self.forward(requests, .toServer) {
                            try await serverRequests.write($0)
                        }
                    }
                    group.addTask {
                        try await self.forward(serverResponses, .toClient) {
                            try await responses.write($0)
                        }
                    }
                    // Either side ends both.
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
        state.withLock { $0.channels[id] = nil }
    }

    private func connect() async throws -> Side {
        let bootstrap = ClientBootstrap(group: group)
        return switch target {
        case .port(let port):
            try await bootstrap.connect(host: "127.0.0.1", port: port) { Self.side($0) }
        case .socket(let path):
            try await bootstrap.connect(unixDomainSocketPath: path) { Self.side($0) }
        }
    }

    private static func side(_ channel: any Channel) -> EventLoopFuture<Side> {
        channel.eventLoop.makeCompletedFuture { try Side(wrappingChannelSynchronously: channel) }
    }

    private func forward(
        _ pieces: NIOAsyncChannelInboundStream<ByteBuffer>, _ direction: Direction,
        _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        var borders = MessageBorders(ofClient: direction == .toServer)
        for try await piece in pieces {
            let ends = borders.ends(in: piece.readableBytesView)
            try await passFaults(piece)
            let count = countBeforeCut(piece, ends)
            guard let count else {
                try await write(piece)
                continue
            }
            try await write(ByteBuffer(piece.readableBytesView.prefix(count)))
            throw Cut()
        }
    }

    /// Waits as long as the fault demands.
    private func passFaults(_ piece: ByteBuffer) async throws {
        switch fault {
        case .delayed(let delay): try await Task.sleep(for: delay)
        case .throttled(let rate):
            try await Task.sleep(for: .seconds(1) * piece.readableBytes / rate)
        case .halfOpen:
            while fault == .halfOpen { try await Task.sleep(for: .milliseconds(10)) }
        case .refused, .cutAfterBytes, .cutAfterMessages, nil: break
        }
    }

    /// Returns the bytes of a piece that are forwarded before the connection is cut, or `nil` if it
    /// is not cut now.
    private func countBeforeCut(_ piece: ByteBuffer, _ ends: [Int]) -> Int? {
        state.withLock { state in
            var count: Int?
            switch state.fault {
            case .cutAfterBytes:
                if state.left <= piece.readableBytes { count = state.left }
                state.left -= piece.readableBytes
            case .cutAfterMessages:
                if state.left == 0 { count = 0 }
                if state.left > 0, state.left <= ends.count { count = ends[state.left - 1] }
                state.left -= ends.count
            default: return nil
            }
            if count != nil { state.fault = nil }
            return count
        }
    }
}
