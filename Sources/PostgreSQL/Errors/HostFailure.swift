/// The reason why a connection to a host failed.
public struct HostFailure: Hashable, Sendable {
    /// The host as configured with its port, such as `db1:5432`, the path of a socket, or `nil` if
    /// the reason is not about one host.
    public let host: String?
    public let reason: String

    public init(host: String?, reason: String) {
        self.host = host
        self.reason = reason
    }

    /// The failures in a message of libpq, one for each address that it tried:
    ///
    ///     connection to server at "db1" (10.0.0.7), port 5432 failed: Connection refused
    ///     	Is the server running on that host and accepting TCP/IP connections?
    ///     connection to server on socket "/run/.s.PGSQL.5432" failed: No such file or directory
    ///     could not translate host name "db2" to address: Name or service not known
    static func list(from message: String) -> [HostFailure] {
        let starts = ["connection to server ", "could not translate host name "]
        var lines: [String] = []
        for line in message.split(separator: "\n") where !line.hasPrefix("\t") {
            if lines.isEmpty || starts.contains(where: line.hasPrefix) {
                lines.append(String(line))
            } else {
                lines[lines.count - 1] += " \(line)"
            }
        }
        return lines.map(Self.init(line:))
    }

    private init(line: String) {
        let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard quoted.count >= 3, let end = Self.reason(in: line) else {
            self.init(host: nil, reason: line)
            return
        }
        let port = line.firstRange(of: ", port ").map {
            line[$0.upperBound...].prefix(while: \.isNumber)
        }
        self.init(host: quoted[1] + (port.map { ":\($0)" } ?? ""), reason: end)
    }

    private static func reason(in line: String) -> String? {
        for separator in [" failed: ", " to address: "] {
            guard let found = line.firstRange(of: separator) else { continue }
            let reason = line[found.upperBound...]
            return String(reason.hasPrefix("FATAL:  ") ? reason.dropFirst(8) : reason)
        }
        return nil
    }
}
