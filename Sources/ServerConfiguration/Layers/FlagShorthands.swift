import Problems

/// Flags that set several settings at once.
public enum FlagShorthands {
    /// Returns the settings of `--http HOST:PORT` or `--grpc HOST:PORT`, by key.
    ///
    /// An IPv6 address is written in brackets. `:4318` leaves the host unchanged, and `HOST` the
    /// port.
    public static func listener(
        _ group: String, flag: String, address: String
    ) throws(ConfigurationError) -> [String: String] {
        let (host, port) = hostAndPort(address)
        // A port alone, as in `4318`, would be the name of a host.
        let isNamed = port != nil || host.contains { !$0.isNumber }
        guard isNamed, port.map({ UInt16($0) != nil }) ?? true else {
            throw ConfigurationError(problems: [
                Problem(
                    "\(flag) \(address)", detail: "is not an address",
                    suggestion: "use HOST:PORT, such as 127.0.0.1:4318")
            ])
        }
        var settings: [String: String] = [:]
        if !host.isEmpty { settings["\(group).host"] = String(host) }
        if let port { settings["\(group).port"] = String(port) }
        return settings
    }

    /// Returns the settings of all `--export URL` flags, which replace the exporters of the file
    /// and environment.
    ///
    /// `http` and `https` mean OTLP over HTTP, `grpc` and `grpcs` OTLP over gRPC, `file:PATH` a
    /// file, and `stdout:` or `-` standard output.
    public static func exports(_ urls: [String]) throws(ConfigurationError) -> [String: String] {
        var settings: [String: String] = [:]
        var problems: [Problem] = []
        for (number, url) in urls.enumerated() {
            guard let export = export(url) else {
                problems.append(
                    Problem(
                        "--export \(url)", detail: "unknown scheme",
                        suggestion: "use http:, https:, grpc:, grpcs:, file: or stdout:"))
                continue
            }
            if export["path"]?.isEmpty == true {
                problems.append(
                    Problem(
                        "--export \(url)", detail: "missing path", suggestion: "use file:PATH"))
            }
            for (name, value) in export { settings["export.\(number).\(name)"] = value }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return settings
    }

    /// Returns the settings of all `--set KEY=VALUE` flags. A position in a list may also be written
    /// as in messages: `export[0].url`.
    public static func settings(_ texts: [String]) throws(ConfigurationError) -> [String: String] {
        var settings: [String: String] = [:]
        for text in texts {
            guard let separator = text.firstIndex(of: "=") else {
                throw ConfigurationError(problems: [
                    Problem("--set \(text)", detail: "missing value", suggestion: "use KEY=VALUE")
                ])
            }
            let key = String(text[..<separator]).replacing(/\[([0-9]+)\]/) { ".\($0.output.1)" }
            settings[key] = String(text[text.index(after: separator)...])
        }
        return settings
    }

    private static func export(_ url: String) -> [String: String]? {
        if url == "-" { return ["type": "stdout"] }
        let scheme = url.prefix { $0 != ":" }.lowercased()
        let rest = url.dropFirst(scheme.count)
        switch scheme {
        case "http", "https": return ["type": "otlp_http", "url": url]
        case "grpc": return ["type": "otlp_grpc", "url": "http\(rest)"]
        case "grpcs": return ["type": "otlp_grpc", "url": "https\(rest)"]
        case "stdout": return ["type": "stdout"]
        case "file":
            let path = rest.hasPrefix("://") ? rest.dropFirst(3) : rest.dropFirst(1)
            return ["type": "file", "path": String(path)]
        default: return nil
        }
    }

    private static func hostAndPort(_ text: String) -> (Substring, Substring?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[end...].dropFirst()
            return (text[..<end].dropFirst(), rest.first == ":" ? rest.dropFirst() : nil)
        }
        guard let colon = text.lastIndex(of: ":") else { return (text[...], nil) }
        return (text[..<colon], text[text.index(after: colon)...])
    }
}
