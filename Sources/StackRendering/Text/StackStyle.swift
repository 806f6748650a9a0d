/// The style that highlights text. The caller chooses it, because it knows the destination.
public enum StackStyle: Hashable, Sendable, CaseIterable {
    /// No highlighting: for files, attributes and pipes.
    case plain
    /// ANSI sequences: the app's functions bold, the system's frames dim.
    case terminal
    /// The app's functions between two characters that are never shown, for ``MarkdownReport``.
    case markup

    /// The characters around the app's functions in ``markup``.
    static let marks: (start: Unicode.Scalar, end: Unicode.Scalar) = ("\u{1}", "\u{2}")

    /// The role of a piece of text.
    enum Role {
        case heading, appFunction, appRaw, system, given, inlined, note, ruler, source, markedSource
    }

    /// Returns `text` in this style.
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

    /// Appends the output of `body` in this style, or unchanged without a role.
    func write(as role: Role?, to text: inout TextBuilder, _ body: (inout TextBuilder) -> Void) {
        guard self != .plain, let role else { return body(&text) }
        var piece = TextBuilder()
        body(&piece)
        text.add(paint(piece.text, as: role))
    }

    /// Returns the parameter of "select graphic rendition", ECMA-48 section 8.3.117.
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
    /// Whether the text is the function of an app frame.
    fileprivate var isAppCode: Bool {
        switch self {
        case .appFunction, .appRaw, .given: true
        case .heading, .system, .inlined, .note, .ruler, .source, .markedSource: false
        }
    }
}
