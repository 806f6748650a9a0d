import AsyncHTTPClient
import Foundation
import GRPCCore
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A short text for an error of a library, for people who do not know the library, such as
/// `connection refused`. In a message it follows a subject.
///
/// The libraries' own texts contain the names of their types, and some contain paths of their
/// sources.
public struct ErrorDescription: Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether a write failed because the disk or a quota is full.
    public let isDiskFull: Bool
    /// The kind of TLS failure, or `nil` for other errors.
    public let tlsFailure: TLSFailure?

    /// - Parameter error: An error of a library. Symbolist's own errors describe themselves.
    public init(_ error: any Error) {
        description = Self.text(error) ?? "unexpected error"
        tlsFailure = Self.tlsFailure(error)
        let number = (error as? IOError)?.errnoCode ?? SystemErrorText(error)?.number
        isDiskFull = number == ENOSPC || number == EDQUOT
    }

    /// Returns the text for an error of a library, or the description of one of Symbolist's own
    /// errors.
    public static func text(of error: any Error) -> String { text(error) ?? "\(error)" }

    /// Whether TLS rejected the certificate of the peer.
    public static func isRejectedCertificate(_ error: any Error) -> Bool {
        TLSErrorText.isRejectedCertificate(error)
    }

    /// Returns `HTTPClientError.remoteConnectionClosed` for any error that means that the server
    /// closed the connection, and other errors unchanged.
    ///
    /// A server that has not read the whole request resets the connection. Whether the client sees
    /// the reset or an orderly end depends on which arrives first.
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

    /// The start of the message of gRPC's resolver, whose underlying error is not public.
    private static let unresolvedMessage = "Couldn't resolve address"

    private static func tlsFailure(_ error: any Error) -> TLSFailure? {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.flatMap { tlsFailure($0.error) }
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: TLSErrorText(error).failure
        case let error as RPCError: error.cause.flatMap { tlsFailure($0) }
        case let error as RuntimeError: error.cause.flatMap { tlsFailure($0) }
        default: nil
        }
    }

    private static func text(_ error: any Error) -> String? {
        switch error {
        case let error as HTTPClientError: text(error)
        case let error as NIOConnectionError:
            error.connectionErrors.first.flatMap { text($0.error) } ?? "host not found"
        case is SocketAddressError, is SocketAddressError.UnknownHost: "host not found"
        case let error as IOError: SystemErrorText(number: error.errnoCode).text
        case let error as ChannelError: text(error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: TLSErrorText(error).text
        case is HTTPParserError: "the response is not HTTP"
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
        case .readTimeout, .deadlineExceeded: "timed out waiting for a response"
        case .writeTimeout: "timed out sending the request"
        case .remoteConnectionClosed: "connection was closed without a response"
        case .tlsHandshakeTimeout: "TLS: handshake timed out"
        case .invalidURL, .emptyHost, .emptyScheme: "not the URL of a server"
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
