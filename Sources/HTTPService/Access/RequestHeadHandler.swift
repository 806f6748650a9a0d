import NIOCore
import NIOHTTP1

/// Normalises the `Host` and `Connection` headers of an HTTP/1 request for the handlers after it.
///
/// The next handler uses the first of several `Host` headers, and drops the host of an absolute
/// request target, which a proxy would use (RFC 9112, section 3.2.2). If these differ, they are
/// joined into one header, like repeated headers (RFC 9110, section 5.3). The result is not a valid
/// host, so the request is rejected.
///
/// The next handler also keeps a connection open unless `Connection` is exactly `close`. But the
/// header's options are case-insensitive, and there may be several; and a client of HTTP/1.0 expects
/// the connection to close unless it asks for `keep-alive` (RFC 9112, section 9.3).
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        Self.joinHosts(in: &head)
        if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func joinHosts(in head: inout HTTPRequestHead) {
        if head.uri.hasPrefix("/"), hasOneHost(head.headers) { return }
        let given = head.headers["Host"]
        let hosts = given + host(ofTarget: head.uri).filter { !given.contains($0) }
        if hosts != given || hosts.count > 1 {
            head.headers.replaceOrAdd(name: "Host", value: hosts.joined(separator: ", "))
        } else if hosts.isEmpty, head.version == .http1_0 {
            // Load balancers send requests without a host. Browsers, which a hostile site could use
            // to reach this service, always send one.
            head.headers.add(name: "Host", value: "localhost")
        }
    }

    /// Whether there is exactly one header with a host, as nearly always.
    private static func hasOneHost(_ headers: HTTPHeaders) -> Bool {
        headers.count { $0.name.utf8.count == 4 && $0.name.lowercased() == "host" } == 1
    }

    /// Returns the host of an absolute target such as `http://localhost:4318/v1/logs`; empty for a
    /// path.
    private static func host(ofTarget target: String) -> [String] {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return [] }
        return [String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })]
    }

    /// Adds the handler to HTTP/1 connections, but not to HTTP/2 streams, which name one host.
    final class Placement: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            guard
                let decoder = try? pipeline.handler(
                    type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            else { return }
            do { try pipeline.addHandler(RequestHeadHandler(), position: .after(decoder)) } catch {
                context.close(promise: nil)
            }
        }
    }
}
