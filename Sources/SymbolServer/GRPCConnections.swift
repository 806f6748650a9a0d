import GRPCCore
import GRPCNIOTransportHTTP2
import HummingbirdCore
import NIOCore
import NIOSSL
import OTLP

/// What is done with every connection of gRPC and every stream of it.
struct GRPCConnections: Sendable {
    private let connections: Connections
    private let limits: ConnectionTable.Limits
    private let metrics = GRPCMetrics(methods: [
        LogsService.Method.Export.descriptor, TraceService.Method.Export.descriptor,
        MetricsService.Method.Export.descriptor,
    ])
    private let audit: AuditLog
    private let certificate: ServerCertificate?
    private let requestSeconds: Int64
    private let callLimits: GRPCCallLimits

    private struct NoRoom: Error {}

    /// Health is asked for over HTTP, so there are no further connections for it.
    init(_ settings: ServerSettings, _ audit: AuditLog, _ room: BodyRoom) {
        limits = settings.connectionLimits.withoutReserve
        connections = Connections(limits, requestSeconds: settings.requestSeconds)
        self.audit = audit
        certificate = settings.certificate
        requestSeconds = settings.requestSeconds
        callLimits = GRPCCallLimits(
            authorization: GRPCAuthorization(tokens: settings.tokens, audit: audit),
            bytesLimit: settings.bodyLimit, room: room, seconds: settings.requestSeconds,
            calls: OpenCalls(limit: settings.connectionLimits.total))
    }

    @Sendable func bound(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                AvailableConnectionsChannelHandler(
                    maxConnections: limits.sum + Connections.closingCount), position: .first)
        }
    }

    @Sendable func accepted(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard connections.open(channel) else { throw NoRoom() }
            if let certificate {
                try show(certificate, on: channel)
                try HandshakeDeadline.add(to: channel, seconds: requestSeconds)
                try TLSRefusal.add(to: channel, audit, port: "grpc")
            }
            try channel.pipeline.syncOperations.addHandlers(ending, position: .first)
        }
    }

    /// What ends a connection whose client does not.
    private var ending: [any ChannelHandler] {
        let idle = requestSeconds + RequestArrival.lingeringSeconds
        return [
            // Of a client that does not read its answers nothing more is read.
            BackPressureHandler(), QuiesceDeadline(seconds: GRPCListener.graceSeconds),
            GRPCConnectionLife(
                silence: .seconds(idle), idle: .seconds(idle + RequestArrival.lingeringSeconds)),
        ]
    }

    @Sendable func opened(_ stream: any Channel) -> EventLoopFuture<Void> {
        connections.begin(stream)
        stream.closeFuture.whenComplete { _ in connections.end(stream) }
        return stream.eventLoop.makeCompletedFuture {
            try GRPCConnectionLife.note(callOn: stream)
            try stream.pipeline.syncOperations.addHandlers(
                [GRPCCounting(metrics), GRPCCallGate(callLimits)], position: .first)
        }
    }

    /// The library reads a certificate once, so its handler is exchanged before the handshake begins.
    private func show(_ certificate: ServerCertificate, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let first = try pipeline.handler(type: NIOSSLServerHandler.self)
        pipeline.removeHandler(first, promise: nil)
        try pipeline.addHandler(
            NIOSSLServerHandler(context: certificate.current.loaded.grpcContext),
            position: .first)
    }
}

extension ConnectionTable.Limits {
    fileprivate var withoutReserve: Self {
        Self(total: total, perClient: perClient, reserve: 0)
    }
}
