/// Turns flags whose values stand for several settings into those settings.
public enum FlagOverrides {
    /// The settings of `--http HOST:PORT` and `--grpc HOST:PORT`, by their keys.
    ///
    /// An IPv6 address stands in brackets; `:4318` leaves the address as it is and `HOST` the port.
    public static func listener(
        _ group: String, flag: String, _ text: String
    ) throws(ConfigurationError) -> [String: String] {
        let (host, port) = hostAndPort(text)
        guard !(host.isEmpty && port == nil), port.map({ UInt16($0) != nil }) ?? true else {
            throw ConfigurationError(problems: [
                "\(flag) \(text): is no address: write HOST:PORT, for instance 127.0.0.1:4318"
            ])
        }
        var settings: [String: String] = [:]
        if !host.isEmpty { settings["\(group).host"] = String(host) }
        if let port { settings["\(group).port"] = String(port) }
        return settings
    }

    /// The settings of all `--export URL`, which take the place of those in file and environment.
    ///
    /// `http` and `https` mean OTLP over HTTP, `grpc` and `grpcs` OTLP over gRPC, `file:PATH` a file,
    /// and `stdout:` or `-` standard output.
    public static func exports(_ urls: [String]) throws(ConfigurationError) -> [String: String] {
        var settings: [String: String] = [:]
        var problems: [String] = []
        for (number, url) in urls.enumerated() {
            guard let export = export(url) else {
                problems.append(
                    "--export \(number + 1): unknown kind of URL: begin it with http:, https:, "
                        + "grpc:, grpcs:, file: or stdout:")
                continue
            }
            for (name, value) in export { settings["export.\(number).\(name)"] = value }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
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
