import GRPCCore
import GRPCNIOTransportHTTP2
import HummingbirdCore
import NIOCore
import NIOSSL
import OTLP

/// Sets up the connections of the gRPC listener and their streams.
struct GRPCConnectionSetup: Sendable {
    private let connections: ConnectionRegistry
    private let limits: ConnectionTable.Limits
    private let metrics = GRPCMetrics(methods: [
        LogsService.Method.Export.descriptor, TraceService.Method.Export.descriptor,
        MetricsService.Method.Export.descriptor,
    ])
    private let audit: AuditLog
    private let certificate: ServerCertificate?
    private let requestSeconds: Int64
    private let callLimits: GRPCCallLimits

    init(_ settings: ServerSettings, audit: AuditLog, memory: RequestMemoryBudget) {
        limits = settings.connectionLimits
        connections = ConnectionRegistry(limits, requestSeconds: settings.requestSeconds)
        self.audit = audit
        certificate = settings.certificate
        requestSeconds = settings.requestSeconds
        callLimits = GRPCCallLimits(
            settings, authorization: GRPCAuthorization(tokens: settings.tokens, audit: audit),
            memory: memory)
    }

    @Sendable func bound(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                AvailableConnectionsChannelHandler(
                    maxConnections: limits.sum + ConnectionRegistry.closingCount), position: .first)
        }
    }

    @Sendable func accepted(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            guard connections.open(channel) else { throw ConnectionRegistry.LimitReached() }
            if connections.isReserved(channel) { limitLifetime(of: channel) }
            if let certificate {
                try install(certificate, on: channel)
                try HandshakeTimeoutHandler.add(to: channel, seconds: requestSeconds)
                try TLSFailureAuditHandler.add(to: channel, audit, listener: "grpc")
            }
            try channel.pipeline.syncOperations.addHandlers(timeoutHandlers, position: .first)
        }
    }

    /// Closes a reserved connection when a request would have timed out, so that a client that
    /// watches the health status cannot keep it.
    private func limitLifetime(of channel: any Channel) {
        let timer = channel.eventLoop.scheduleTask(in: .seconds(requestSeconds)) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }

    /// The handlers that end a connection if the client does not.
    private var timeoutHandlers: [any ChannelHandler] {
        let idle = requestSeconds + RequestTimeoutHandler.lingeringSeconds
        return [
            // Stops reading from a client that does not read its responses.
            BackPressureHandler(), ShutdownTimeoutHandler(seconds: GRPCListener.graceSeconds),
            GRPCIdleTimeoutHandler(
                silence: .seconds(idle),
                idle: .seconds(idle + RequestTimeoutHandler.lingeringSeconds)),
        ]
    }

    @Sendable func opened(_ stream: any Channel) -> EventLoopFuture<Void> {
        connections.begin(stream)
        let isReserved = connections.isReserved(stream)
        let connection = stream.parent
        stream.closeFuture.whenComplete { _ in
            connections.end(stream)
            // A reserved connection is for one call.
            if isReserved {
                connection?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            }
        }
        return stream.eventLoop.makeCompletedFuture {
            try GRPCIdleTimeoutHandler.track(callOn: stream)
            try stream.pipeline.syncOperations.addHandlers(
                [
                    GRPCMetricsHandler(metrics),
                    GRPCAdmissionHandler(callLimits, isReserved: isReserved),
                ], position: .first)
        }
    }

    /// Replaces the library's TLS handler before the handshake, because the library loads its
    /// certificate only once.
    private func install(_ certificate: ServerCertificate, on channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let first = try pipeline.handler(type: NIOSSLServerHandler.self)
        pipeline.removeHandler(first, promise: nil)
        try pipeline.addHandler(
            NIOSSLServerHandler(context: certificate.current.loaded.grpcContext),
            position: .first)
    }
}
