import AsyncHTTPClient
import Foundation
import GRPCCore
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What went wrong with a connection, a server or a file, for people who know none of the libraries
/// below: `connection refused`. It follows a subject.
///
/// The libraries' own texts name their types, and some the files that they were built from.
public struct ErrorDescription: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter error: Of a library. An error of ours describes itself.
    public init(_ error: any Error) {
        description = Self.text(error) ?? "unexpected error"
    }

    /// An error of a library in words, and one of ours as it describes itself.
    public static func text(of error: any Error) -> String { text(error) ?? "\(error)" }

    /// Returns `HTTPClientError.remoteConnectionClosed` for any way in which a server closes the
    /// connection of a request, and other errors unchanged.
    ///
    /// A server that has not read the whole request resets the connection. Whether the client sees the
    /// reset or an orderly end depends on which of the two comes first.
    public static func requestError(_ error: any Error) -> any Error {
        switch error {
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode):
            HTTPClientError.remoteConnectionClosed
        case ChannelError.eof, ChannelError.inputClosed, ChannelError.outputClosed,
            ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel:
            HTTPClientError.remoteConnectionClosed
        default: error
        }
    }

    /// The start of the message of gRPC's resolver. The error that it has as its cause is not public.
    private static let unresolvedMessage = "Couldn't resolve address"

    private static func text(_ error: any Error) -> String? {
        switch error {
        case let error as HTTPClientError: text(error)
        case let error as NIOConnectionError:
            error.connectionErrors.first.flatMap { text($0.error) } ?? "host not found"
        case is SocketAddressError, is SocketAddressError.UnknownHost: "host not found"
        case let error as IOError: SystemErrorText(number: error.errnoCode).text
        case let error as ChannelError: text(error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: TLSErrorText(error).text
        case is HTTPParserError: "the answer is not HTTP"
        case let error as RPCError where error.message.hasPrefix(unresolvedMessage):
            "host not found"
        case let error as RPCError: error.cause.flatMap { text($0) } ?? error.message
        case let error as RuntimeError: error.cause.flatMap { text($0) }
        case is CancellationError: "cancelled"
        default: SystemErrorText(error)?.text
        }
    }

    private static func text(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout: "connection timed out"
        case .readTimeout, .deadlineExceeded: "no answer in time"
        case .writeTimeout: "the request was not read in time"
        case .remoteConnectionClosed: "connection was closed without an answer"
        case .tlsHandshakeTimeout: "TLS: handshake timed out"
        case .invalidURL, .emptyHost, .emptyScheme: "not an address of a server"
        case .cancelled: "cancelled"
        case .proxyAuthenticationRequired, .invalidProxyResponse: "the proxy refused"
        default: error.shortDescription.lowercased()
        }
    }

    private static func text(_ error: ChannelError) -> String {
        switch error {
        case .connectTimeout: "connection timed out"
        case .eof, .inputClosed, .outputClosed, .alreadyClosed, .ioOnClosedChannel:
            "connection was closed"
        default: "connection failed"
        }
    }
}
