/// What values a setting takes.
public enum SettingKind: Hashable, Sendable {
    case text
    /// Text that is never shown.
    case secret
    /// Of a file or folder.
    case path
    /// With the scheme `http` or `https`.
    case url
    case boolean
    case number(ClosedRange<Int>)
    case duration
    /// In bytes.
    case size
    case choice([String])
    /// Several of these.
    case choices([String])
    /// Names of images, with `*` at either end for anything.
    case patterns
    /// Names or addresses of hosts, without ports.
    case hosts
    /// Names and values: a mapping in the file, `NAME=VALUE,…` elsewhere.
    case pairs
    /// 64 hexadecimal digits.
    case digest
    /// The other kind, or a word that says that there is none, or that the service decides.
    indirect case unless(String, SettingKind)

    /// What it takes, in a word or two, for tables.
    public var name: String {
        switch self {
        case .text, .secret: "text"
        case .path: "path"
        case .url: "URL"
        case .boolean: "`true` or `false`"
        case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .duration: "duration"
        case .size: "size"
        case .choice(let names): names.map { "`\($0)`" }.alternatives
        case .choices(let names): "list of " + names.map { "`\($0)`" }.joined(separator: ", ")
        case .patterns: "list of patterns"
        case .hosts: "list of hosts"
        case .pairs: "names and values"
        case .digest: "64 hexadecimal digits"
        case .unless(let word, let kind): "\(kind.name) or `\(word)`"
        }
    }

    /// Whether it takes several values.
    var isList: Bool {
        switch self {
        case .choices, .patterns, .hosts, .pairs: true
        default: false
        }
    }

    /// What is wrong with a value, and what would be right: `is no duration: write …`. `nil` if
    /// nothing is.
    func complaint(about text: String) -> String? {
        switch self {
        case .unless(let word, let kind):
            text == word ? nil : kind.complaint(about: text).map { "\($0), or '\(word)'" }
        case .text, .secret, .path:
            text.isEmpty ? "is empty: give a value or leave the key out" : nil
        case .url: ServerURL.complaint(about: text)
        case .boolean:
            Bool(settingText: text) == nil ? "is neither true nor false: write one of them" : nil
        case .number(let range):
            Int(text).map(range.contains) == true
                ? nil
                : "is no whole number from \(range.lowerBound) to \(range.upperBound): write one"
        case .duration:
            Duration(settingText: text) == nil
                ? "is no duration: write for instance 200ms, 5s, 10m, 12h or 30d" : nil
        case .size:
            ByteSize.bytes(text) == nil
                ? "is no size: write for instance 64MiB or 2GB" : nil
        case .choice(let names), .choices(let names):
            names.contains(text)
                ? nil : "is unknown: write \(names.alternatives)"
        case .patterns: Self.patternComplaint(about: text)
        case .hosts: Self.hostComplaint(about: text)
        case .pairs: Self.pairComplaint(about: text)
        case .digest:
            text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
                ? nil : "is no SHA-256: write its 64 hexadecimal digits"
        }
    }

    private static func patternComplaint(about text: String) -> String? {
        var middle = text[...]
        if middle.first == "*" { middle.removeFirst() }
        if middle.last == "*" { middle.removeLast() }
        if text.isEmpty { return "is empty: give the name of an image" }
        if text.contains("/") { return "holds a '/': give the name of an image without its folder" }
        return middle.contains("*") ? "has a '*' inside: put it at the beginning or the end" : nil
    }

    private static func hostComplaint(about text: String) -> String? {
        let isName = text.utf8.allSatisfy { byte in
            byte != UInt8(ascii: "*") && (isTokenByte(byte) || ":[]".utf8.contains(byte))
        }
        // One colon is before a port; addresses of IPv6 have more.
        let hasPort = text.filter { $0 == ":" }.count == 1
        return isName && !text.isEmpty && !hasPort
            ? nil : "is not a host: write a name or address, without scheme, port or '*'"
    }

    private static func pairComplaint(about text: String) -> String? {
        let name = text.prefix { $0 != "=" }
        let isName = !name.isEmpty && name.utf8.allSatisfy { isTokenByte($0) }
        guard isName, name.endIndex != text.endIndex else {
            return "has no name that a header may have: write NAME=VALUE"
        }
        if ownHeaders.contains(name.lowercased()) {
            return "is for a header that the service sets itself: leave it out"
        }
        return text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            ? nil : "holds a character that no header may have: use printable ASCII"
    }

    private static let ownHeaders: Set<String> = [
        "content-type", "content-encoding", "content-length", "transfer-encoding", "host", "te",
        "connection",
    ]

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension [String] {
    /// `trace, debug or info`
    fileprivate var alternatives: String {
        guard count > 1, let last else { return joined() }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
