/// How text marks what matters. The caller decides, because only it knows where the text goes.
public enum StackStyle: Hashable, Sendable, CaseIterable {
    /// No marks: for files, attributes and pipes.
    case plain
    /// ANSI sequences: the app's functions bold, what is the system's dim.
    case terminal

    /// What a piece of text is.
    enum Role {
        case heading, appFunction, appRaw, system, given, inlined, note, ruler, source, markedSource
    }

    /// `text` as this style shows it.
    func paint(_ text: String, as role: Role) -> String {
        guard self == .terminal, !text.isEmpty, let code = Self.code(of: role) else { return text }
        return "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }

    /// Adds what `body` writes as this style shows it; without a role as it is.
    func write(as role: Role?, to text: inout TextBytes, _ body: (inout TextBytes) -> Void) {
        guard self == .terminal, let role else { return body(&text) }
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
