import ReportFormats

/// Names whose values are credentials, as keys of JSON, HTTP headers, parameters and options:
///
///     password        X-Api-Key        access_token        Set-Cookie
enum CredentialName {
    /// Whether a name ends with that of a credential.
    ///
    /// - Parameter name: The name, in any case, with or without separators between its words.
    static func matches(_ name: some Sequence<UInt8>) -> Bool {
        let letters = name.filter(\.isLetter).map { $0 | 0x20 }
        return ends.contains { letters.hasSuffix($0) }
    }

    /// The ends of names, in lower case, without separators. `key`, `session` and `signature` alone
    /// do not count, because attributes of telemetry have such names too.
    private static let ends = [
        "password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "accesskey",
        "secretkey", "privatekey", "authorization", "cookie", "cookies", "credential",
        "credentials",
    ].map { Array($0.utf8) }
}

extension [UInt8] {
    func hasSuffix(_ end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
