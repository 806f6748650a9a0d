import Problems

/// The values that a setting takes.
public enum SettingKind: Hashable, Sendable {
    case text
    /// Text that is never shown.
    case secret
    /// The path of a file or folder.
    case path
    /// A URL with the scheme `http` or `https`.
    case url
    case boolean
    case number(ClosedRange<Int>)
    case duration(ClosedRange<Duration>)
    case size(ClosedRange<ByteSize>)
    case choice([String])
    /// One or more of the given choices.
    case choices([String])
    /// Names of images, with an optional `*` at either end.
    case patterns
    /// Names or addresses of hosts, without ports.
    case hosts
    /// Origins of web pages: `https://profiler.firefox.com`.
    case origins
    /// Strings.
    case texts
    /// Names and values: a mapping in the file, `NAME=VALUE,…` elsewhere.
    case pairs
    /// A SHA-256 as 64 hexadecimal digits.
    case digest
    /// Values of another kind, or the given word, such as `none` or `auto`.
    indirect case unless(String, SettingKind)

    /// A duration without limits.
    static let anyDuration = Self.duration(Duration.usual)
    /// A size of at least one byte.
    static let anySize = Self.size(ByteSize.usual)
    /// A size in bytes that may be 0.
    static let sizeOrZero = Self.size(ByteSize(bytes: 0)...ByteSize.usual.upperBound)

    /// A short description of the values, for tables.
    public var name: String {
        switch self {
        case .text, .secret: "text"
        case .path: "path"
        case .url: "URL"
        case .boolean: "`true` or `false`"
        case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "duration" + (range.settingText.map { " of \($0)" } ?? "")
        case .size(let range): "size" + (range.settingText.map { " of \($0)" } ?? "")
        case .choice(let names): names.map { "`\($0)`" }.alternatives
        case .choices(let names): "list of " + names.map { "`\($0)`" }.joined(separator: ", ")
        case .patterns: "list of patterns"
        case .hosts: "list of hosts"
        case .origins: "list of origins"
        case .texts: "list of texts"
        case .pairs: "names and values"
        case .digest: "64 hexadecimal digits"
        case .unless(let word, let kind): "\(kind.name) or `\(word)`"
        }
    }

    /// Whether it takes several values.
    var isList: Bool {
        switch self {
        case .choices, .patterns, .hosts, .origins, .texts, .pairs: true
        default: false
        }
    }

    /// Returns the problem with a value, without a subject, or `nil` if the value is valid.
    func problem(with text: String) -> Problem? {
        switch self {
        case .unless(let word, let kind):
            text == word ? nil : kind.problem(with: text).map { $0.allowing(word) }
        case .text, .texts, .secret, .path:
            text.isEmpty
                ? Problem(detail: "is empty", suggestion: "set a value or remove the key") : nil
        case .url: EndpointURL.problem(with: text)
        case .boolean:
            Bool(settingText: text) == nil ? Problem(detail: "is not true or false") : nil
        case .number(let range):
            Int(text).map(range.contains) == true
                ? nil
                : Problem(
                    detail:
                        "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        case .duration(let range): range.problem(with: text)
        case .size(let range): range.problem(with: text)
        case .choice(let names), .choices(let names):
            names.contains(text)
                ? nil : Problem(detail: "is unknown", suggestion: "use \(names.alternatives)")
        case .patterns: Self.patternProblem(with: text)
        case .hosts: Self.hostProblem(with: text)
        case .origins: Self.originProblem(with: text)
        case .pairs: Self.pairProblem(with: text)
        case .digest:
            text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
                ? nil
                : Problem(detail: "is not a SHA-256", suggestion: "use 64 hexadecimal digits")
        }
    }

    private static func patternProblem(with text: String) -> Problem? {
        var middle = text[...]
        if middle.first == "*" { middle.removeFirst() }
        if middle.last == "*" { middle.removeLast() }
        if text.isEmpty {
            return Problem(detail: "is empty", suggestion: "use the name of an image")
        }
        if text.contains("/") {
            return Problem(
                detail: "contains a '/'",
                suggestion: "use the name of an image without its folder")
        }
        return middle.contains("*")
            ? Problem(
                detail: "has a '*' in the middle", suggestion: "use it at the start or the end only"
            )
            : nil
    }

    private static func hostProblem(with text: String) -> Problem? {
        let isName = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "*") && (isTokenByte(byte) || ":[]".utf8.contains(byte))
        }
        // One colon precedes a port; IPv6 addresses have more.
        let hasPort = text.filter { $0 == ":" }.count == 1
        return isName && !text.isEmpty && !hasPort
            ? nil
            : Problem(
                detail: "is not a host",
                suggestion: "use a name or address without scheme, port or '*'")
    }

    private static func originProblem(with text: String) -> Problem? {
        let host = ["https://", "http://"].first(where: text.hasPrefix).map {
            text.dropFirst($0.count)
        }
        guard let host, !host.isEmpty, !host.hasPrefix(":"),
            host.utf8.allSatisfy({
                $0 != UInt8(ascii: "*") && (isTokenByte($0) || ":[]".utf8.contains($0))
            })
        else {
            return Problem(
                detail: "is not an origin",
                suggestion: "use scheme and host, such as https://profiler.firefox.com")
        }
        return nil
    }

    private static func pairProblem(with text: String) -> Problem? {
        let name = text.prefix { $0 != "=" }
        let isName = !name.isEmpty && name.utf8.allSatisfy { isTokenByte($0) }
        guard isName, name.endIndex != text.endIndex else {
            return Problem(detail: "has no valid header name", suggestion: "use NAME=VALUE")
        }
        if ownHeaders.contains(name.lowercased()) {
            return Problem(
                detail: "is a header that the service sets itself", suggestion: "remove it")
        }
        return text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            ? nil
            : Problem(
                detail: "contains a character that is invalid in a header",
                suggestion: "use printable ASCII")
    }

    private static let ownHeaders: Set<String> = [
        "content-type", "content-encoding", "content-length", "transfer-encoding", "host", "te",
        "connection",
    ]

    /// Whether a byte is a token character (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Problem {
    /// Returns the problem of a setting that also takes a word: `…, or 'none'`.
    fileprivate func allowing(_ word: String) -> Self {
        guard let suggestion else { return Self(subject, detail: "\(detail), or '\(word)'") }
        return Self(subject, detail: detail, suggestion: "\(suggestion), or '\(word)'")
    }
}

extension [String] {
    /// The elements as text: `trace, debug or info`.
    fileprivate var alternatives: String {
        guard count > 1, let last else { return joined() }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
