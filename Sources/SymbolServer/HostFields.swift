import NIOCore
import NIOHTTP1

/// Keeps what HTTP/1 says about the host of a request together.
///
/// The translation behind it takes the first of several `Host` headers and forgets the host of a
/// target that is a whole URL, by which a proxy would go (RFC 9112, section 3.2.2). Where these
/// contradict one another they become one header with all of them, as equal headers are joined
/// (RFC 9110, section 5.3), which is no host.
final class HostFields: ChannelInboundHandler, RemovableChannelHandler {
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

    /// Of `http://localhost:4318/v1/logs`; none where the target is a path.
    private static func host(ofTarget target: String) -> [String] {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return [] }
        return [String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })]
    }

    /// Adds one to connections of HTTP/1 and none to streams of HTTP/2, which have one host.
    final class Placement: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = NIOAny

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            guard
                let decoder = try? pipeline.handler(
                    type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            else { return }
            do { try pipeline.addHandler(HostFields(), position: .after(decoder)) } catch {
                context.close(promise: nil)
            }
        }
    }
}
