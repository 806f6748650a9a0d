import Hummingbird
import NIOCore

/// What is known of a request besides its head and body.
struct CallerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who asks; set when the token has been checked.
    var caller = Caller.anonymous
    let record = RequestRecord()
    /// A connection of HTTP/1, or a stream of HTTP/2.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address of this machine at which the request arrived.
    var localHost: HostName? { channel.localAddress?.ipAddress.flatMap { HostName($0) } }
}
