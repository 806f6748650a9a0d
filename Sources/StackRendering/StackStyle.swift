/// How text marks what matters. The caller decides, because only it knows where the text goes.
public enum StackStyle: Hashable, Sendable, CaseIterable {
    /// No marks: for files, attributes and pipes.
    case plain
    /// ANSI sequences: the app's functions bold, what is the system's dim.
    case terminal
    /// The app's functions between two characters that no text shown has, for ``MarkdownReport``.
    case markup

    /// What begins and ends the app's functions in ``markup``.
    static let marks: (start: Character, end: Character) = ("\u{1}", "\u{2}")

    /// What a piece of text is.
    enum Role {
        case heading, appFunction, appRaw, system, given, inlined, note, ruler, source, markedSource
    }

    /// `text` as this style shows it.
    func paint(_ text: String, as role: Role) -> String {
        if text.isEmpty { return text }
        switch self {
        case .plain: return text
        case .terminal: return Self.code(of: role).map { "\u{1b}[\($0)m\(text)\u{1b}[0m" } ?? text
        case .markup:
            guard role.isAppCode else { return text }
            return "\(Self.marks.start)\(text)\(Self.marks.end)"
        }
    }

    /// Adds what `body` writes as this style shows it; without a role as it is.
    func write(as role: Role?, to text: inout TextBytes, _ body: (inout TextBytes) -> Void) {
        guard self != .plain, let role else { return body(&text) }
        var piece = TextBytes()
        body(&piece)
        text.add(paint(piece.text, as: role))
    }

    /// The parameter of "select graphic rendition", ECMA-48 section 8.3.117.
    private static func code(of role: Role) -> String? {
        switch role {
        case .heading, .appFunction: "1"
        case .appRaw, .given, .markedSource: nil
        case .system, .ruler, .source: "2"
        case .inlined: "36"
        case .note: "33"
        }
    }
}

extension StackStyle.Role {
    /// Whether it is what a frame of the app says of its function.
    fileprivate var isAppCode: Bool {
        switch self {
        case .appFunction, .appRaw, .given: true
        case .heading, .system, .inlined, .note, .ruler, .source, .markedSource: false
        }
    }
}
