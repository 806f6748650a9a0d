/// A source file by its folder and last path component, as the compiler wrote them.
public struct SourceFile: Hashable, Sendable {
    /// The placeholder path that compilers use for generated code. In reports it may follow a
    /// folder.
    public static let compilerGeneratedPath = "<compiler-generated>"

    /// The folder; may be empty. Ends in a separator only if it is a root (`/`, `C:\`).
    public var folder: String
    public var name: String

    public init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// The folder and the name, joined by the folder's own separator.
    public var path: String {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        guard let last = folder.utf8.last, last != slash, last != backslash else {
            return folder + name
        }
        let isWindows = !folder.utf8.contains(slash) && folder.utf8.contains(backslash)
        return folder + (isWindows ? "\\" : "/") + name
    }
}
