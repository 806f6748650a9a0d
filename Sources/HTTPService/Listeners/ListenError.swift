import ErrorDescriptions
import GRPCCore
import Glibc
import NIOCore
public import Problems

/// The reason why the service cannot listen.
public struct ListenError: DescribedError, Hashable {
    /// `http: 127.0.0.1:4318: address already in use: choose another http.port`.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// - Parameter listener: `http` or `grpc`, which is also the group of its settings.
    init(listener: String, _ address: ServerSettings.Address, _ error: any Error) {
        if let error = error as? Self {
            self = error
            return
        }
        let cause = (error as? RuntimeError)?.cause ?? error
        let (detail, suggestion) =
            switch (cause as? IOError)?.errnoCode {
            case EADDRINUSE?: ("address already in use", "choose another \(listener).port")
            case EACCES?: ("permission denied", "choose a \(listener).port above 1023")
            case EADDRNOTAVAIL?:
                ("this machine has no such address", "choose another \(listener).host")
            default:
                ("\(ErrorDescription(cause))", "check \(listener).host and \(listener).port")
            }
        problem = Problem(
            "\(listener): \(address.host):\(address.port)", detail: detail,
            suggestion: suggestion)
    }
}
