import NIOCore
import NIOHTTP1

/// Preserves conflicting hosts of an HTTP/1 request, so that the request can be refused.
///
/// The next handler uses the first of several `Host` headers, and drops the host of an absolute
/// request target, which a proxy would use (RFC 9112, section 3.2.2). If these differ, they are
/// joined into one header, like repeated headers (RFC 9110, section 5.3). The result is not a valid
/// host.
final class HostHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        let given = head.headers["Host"]
        let hosts = given + Self.host(ofTarget: head.uri).filter { !given.contains($0) }
        if hosts != given || hosts.count > 1 {
            head.headers.replaceOrAdd(name: "Host", value: hosts.joined(separator: ", "))
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
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
            do { try pipeline.addHandler(HostHeaderHandler(), position: .after(decoder)) } catch {
                context.close(promise: nil)
            }
        }
    }
}
