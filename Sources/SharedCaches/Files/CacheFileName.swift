/// The name of a file of a shared cache, which determines the names of the other files.
///
/// A cache is a main file, `dyld_shared_cache_arm64e`, with subcaches and a symbols file next to
/// it, which have the same name with a suffix. The main file of a development cache ends in
/// `.development`.
public struct CacheFileName: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    /// Whether a text is a valid suffix of the main file's name, which cannot lead to another
    /// folder.
    static func isEnding(_ text: String) -> Bool {
        text.hasPrefix(".") && text != "." && !text.contains("/")
    }

    /// The name without `.development`.
    var withoutDevelopment: String {
        text.hasSuffix(Self.development) ? String(text.dropLast(Self.development.count)) : text
    }

    /// The main files that the file may belong to, the most likely first.
    public var possibleMainFiles: [String] {
        var names: [String] = []
        var stem = text[...]
        while let dot = stem.lastIndex(of: "."), dot > stem.startIndex {
            stem = stem[..<dot]
            names += [String(stem), stem + Self.development]
        }
        return names.filter { $0 != text }
    }

    /// Whether the name is typical of subcaches and symbols files.
    var looksLikePart: Bool {
        guard let dot = text.firstIndex(of: ".") else { return false }
        return text[dot...] != Self.development
    }

    /// The main file that the name of a subcache or symbols file suggests, or `nil` for other
    /// names.
    public var likelyMainFile: String? {
        guard looksLikePart, let dot = text.firstIndex(of: "."), dot > text.startIndex else {
            return nil
        }
        let isOfDevelopment = text[dot...].hasPrefix(Self.development + ".")
        return text[..<dot] + (isOfDevelopment ? Self.development : "")
    }

    static let symbolsEnding = ".symbols"
    private static let development = ".development"
}
