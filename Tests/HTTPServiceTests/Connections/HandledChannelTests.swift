import HummingbirdCore
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import HTTPService

@Suite("Handled channels")
struct HandledChannelTests {
    @Test("a connection that is accepted and not handled is closed")
    func dropped() async throws {
        let channel = NIOAsyncTestingChannel()
        let http = HandledChannel(HTTP1Channel { _, _, _ in })
        let setup = try await channel.testingEventLoop.executeInContext {
            http.setup(channel: channel, logger: quietLogger).map { _ in }
        }
        try await setup.get()
        // The library drops its own reference to the writer now.
        try? await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await channel.closeFuture.get()
        #expect(!channel.isActive)
    }
}
