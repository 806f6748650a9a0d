import AsyncHTTPClient
import ErrorDescriptions
import Foundation
import GRPCCore
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@Suite("Texts for errors of libraries")
struct ErrorDescriptionTests {
    private func error(_ body: () async throws -> Void) async -> any Error {
        do { try await body() } catch { return error }
        return CancellationError()
    }

    @Test("a refused connection and an unknown host are described")
    func connections() async {
        let refused = await error {
            _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: 1).get()
        }
        #expect(ErrorDescription(refused).description == "connection refused")
        let unknown = await error {
            _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "host.invalid", port: 1).get()
        }
        #expect(ErrorDescription(unknown).description == "host not found")
    }

    @Test("a missing, inaccessible or invalid file is described")
    func files() async {
        let missing = await error { _ = try Data(contentsOf: URL(filePath: "/nowhere/file")) }
        #expect(ErrorDescription(missing).description == "no such file or directory")
        let wrong = await error {
            try Data([1]).write(to: URL(filePath: "/proc/version"))
        }
        expectWords(ErrorDescription(wrong).description)
    }

    @Test(
        "system error codes are described",
        arguments: [
            (EADDRINUSE, "address already in use"), (EACCES, "permission denied"),
            (ECONNRESET, "connection was closed"), (ENOSPC, "no space left on device"),
            (EHOSTUNREACH, "no route to host"), (EMFILE, "too many open files"),
        ])
    func codes(code: Int32, words: String) {
        #expect(ErrorDescription(IOError(errnoCode: code, reason: "bind")).description == words)
        let foundation = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        #expect(ErrorDescription(foundation).description == words)
    }

    @Test("no text contains a type, a module or a path of a library")
    func noNames() {
        struct Odd: Error { let file = "/build/source.cc" }
        let errors: [any Error] = [
            HTTPClientError.remoteConnectionClosed, HTTPClientError.deadlineExceeded,
            HTTPClientError.connectTimeout, HTTPClientError.invalidURL,
            HTTPClientError.uncleanShutdown, ChannelError.eof, ChannelError.alreadyClosed,
            NIOSSLError.uncleanShutdown, NIOSSLError.failedToLoadCertificate,
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            BoringSSLError.unknownError([]), NIOSSLExtraError.failedToValidateHostname,
            RPCError(code: .unavailable, message: "away", cause: ChannelError.eof),
            CancellationError(), Odd(), CocoaError(.fileReadNoPermission),
            NSError(domain: "Other", code: 1),
        ]
        for error in errors { expectWords(ErrorDescription(error).description) }
        #expect(ErrorDescription(Odd()).description == "unexpected error")
    }

    /// Expects a text without terms of the libraries.
    private func expectWords(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let names = ["NIO", "Error", "Domain", "::", "(", "{", ".swift", ".cc", "/", "BoringSSL"]
        #expect(
            !text.isEmpty && !names.contains { text.contains($0) }, "\(text)",
            sourceLocation: sourceLocation)
    }
}
