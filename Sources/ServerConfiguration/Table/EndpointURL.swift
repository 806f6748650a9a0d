import Foundation
import Problems

/// The URL of a server that receives data.
enum EndpointURL {
    static func problem(with text: String) -> Problem? {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            (url.port ?? 1) > 0, (url.port ?? 1) < 65_536
        else {
            return Problem(
                detail: "is not a server URL", suggestion: "use one such as http://collector:4318")
        }
        // The URL appears in logs, metrics and errors, so it must not contain credentials.
        if url.user != nil || url.password != nil {
            return Problem(
                detail: "contains credentials", suggestion: "use export[].headers instead")
        }
        return nil
    }
}
