extension LibPQ {
    /// The maximum number of options that are read, far more than libpq has.
    private static let optionLimit = 1000

    /// Returns the connection parameters in a URL.
    ///
    /// - Throws: ``DatabaseError/invalidSettings(_:)`` if the URL is invalid. The error contains no
    ///   part of the URL that may be secret.
    func options(in url: String) throws(DatabaseError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe parseOptions(url, &message)
        defer { if let message = unsafe message { unsafe freeMemory(message) } }
        guard let options = unsafe options else {
            let text = unsafe ServerResult.text(UnsafePointer(message)) ?? ""
            throw ConnectionSettings.invalid(Self.withoutSecrets(text))
        }
        defer { unsafe freeOptions(options) }
        return unsafe Self.values(of: options.assumingMemoryBound(to: ConnectionOption.self))
    }

    private static func values(of options: UnsafePointer<ConnectionOption>) -> [String: String] {
        var values: [String: String] = [:]
        for index in 0..<optionLimit {
            let option = unsafe options[index]
            guard let name = unsafe ServerResult.text(option.keyword) else { break }
            unsafe values[name] = ServerResult.text(option.value)
        }
        return values
    }

    /// Returns the reason in a message of libpq without the URL that it may quote at its end. Of
    /// quoted texts, only the name of an unknown parameter is kept.
    static func withoutSecrets(_ message: String) -> String {
        let line = message.split(separator: "\n").first ?? "is not valid"
        guard !line.hasPrefix("invalid URI query parameter"),
            let quote = line.firstIndex(of: "\"")
        else { return String(line) }
        return String(line[..<quote].reversed().drop { $0 == " " || $0 == ":" }.reversed())
    }
}
