/// One function at one place in the code, as an index answers it.
public struct SourceFrame: Hashable, Sendable {
    /// The linkage name as the debug file has it, without Mach-O's first underscore.
    public var function: String?
    /// The source file, `nil` where the code has none.
    public var file: SourceFile?
    /// The line, counted from 1. 0: the compiler says that no line belongs here.
    public var line: UInt32
    /// The column, counted from 1. 0: not known.
    public var column: UInt32
    /// Whether this is a call that was inlined into the next frame.
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

/// A source file by its folder and its last component, as the compiler wrote them.
public struct SourceFile: Hashable, Sendable {
    /// May be empty. Never ends in a separator, unless it is a root (`/`, `C:\`).
    public var folder: String
    public var name: String

    public init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Folder and name, joined by the separator that the folder itself uses.
    public var path: String {
        guard let last = folder.utf8.last else { return name }
        if last == UInt8(ascii: "/") || last == UInt8(ascii: "\\") { return folder + name }
        let isWindows =
            !folder.utf8.contains(UInt8(ascii: "/"))
            && folder.utf8.contains(UInt8(ascii: "\\"))
        return folder + (isWindows ? "\\" : "/") + name
    }
}
