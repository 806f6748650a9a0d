import Hummingbird
import NIOCore

/// The context of an HTTP request.
struct HTTPRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The sender, once the token has been checked.
    var caller = Caller.anonymous
    let outcome = RequestOutcome()
    /// An HTTP/1 connection or an HTTP/2 stream.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The local address of the connection.
    var localHost: HostName? { channel.localAddress?.ipAddress.flatMap { HostName($0) } }
}
