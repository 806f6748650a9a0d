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
    private let bodyLimit: Int

    private struct NoRoom: Error {}

    /// Health is asked for over HTTP, so there are no further connections for it.
    init(_ settings: ServerSettings, _ audit: AuditLog) {
        limits = settings.connectionLimits.withoutReserve
        connections = Connections(limits, requestSeconds: settings.requestSeconds)
        self.audit = audit
        certificate = settings.certificate
        requestSeconds = settings.requestSeconds
        bodyLimit = settings.bodyLimit
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
            guard let certificate else { return }
            try show(certificate, on: channel)
            try HandshakeDeadline.add(to: channel, seconds: requestSeconds)
            try TLSRefusal.add(to: channel, audit, port: "grpc")
        }
    }

    @Sendable func opened(_ stream: any Channel) -> EventLoopFuture<Void> {
        connections.begin(stream)
        stream.closeFuture.whenComplete { _ in connections.end(stream) }
        return stream.eventLoop.makeCompletedFuture {
            try GRPCRefusal.add(to: stream, bytesLimit: bodyLimit)
            try stream.pipeline.syncOperations.addHandler(GRPCCounting(metrics), position: .first)
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
