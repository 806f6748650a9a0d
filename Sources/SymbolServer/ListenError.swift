import ErrorDescriptions
import GRPCCore
import Glibc
import NIOCore

/// Why the service cannot listen.
public struct ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `http: 127.0.0.1:4318: address already in use: choose another port with http.port`.
    public let description: String

    init(_ description: String) { self.description = description }

    /// - Parameter side: `http` or `grpc`, which is also the name of its settings.
    init(_ side: String, _ address: ServerSettings.Address, _ error: any Error) {
        if let error = error as? Self {
            self = error
            return
        }
        let cause = (error as? RuntimeError)?.cause ?? error
        let (what, next) =
            switch (cause as? IOError)?.errnoCode {
            case EADDRINUSE?: ("address already in use", "choose another \(side).port")
            case EACCES?: ("not allowed to listen there", "choose a \(side).port above 1023")
            case EADDRNOTAVAIL?:
                ("this machine has no such address", "choose another \(side).host")
            default:
                ("\(ErrorDescription(cause))", "check \(side).host and \(side).port")
            }
        description = "\(side): \(address.host):\(address.port): \(what): \(next)"
    }
}
