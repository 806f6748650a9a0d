/// A function at a position in the code, as stored in an index.
public struct SourceFrame: Hashable, Sendable {
    /// The linkage name in the debug file, without the leading underscore of Mach-O.
    public var function: String?
    /// The source file, or `nil` if the code has none.
    public var file: SourceFile?
    /// The line, counted from 1; 0 if the compiler assigned none.
    public var line: UInt32
    /// The column, counted from 1; 0 if it is unknown.
    public var column: UInt32
    /// Whether this call was inlined into the next frame.
    public var isInlined: Bool

    public init(
        function: String?, file: SourceFile?, line: UInt32, column: UInt32, isInlined: Bool
    ) {
        self.function = function
        self.file = file
        self.line = line
        self.column = column
        self.isInlined = isInlined
    }
}

/// A source file by its folder and last path component, as the compiler wrote them.
public struct SourceFile: Hashable, Sendable {
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
