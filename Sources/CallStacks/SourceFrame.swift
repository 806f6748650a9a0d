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
        let folder = folder.utf8
        let separator = Self.separator(last: folder.last, holds: folder.contains)
        guard let separator else { return self.folder + name }
        return self.folder + String(Unicode.Scalar(separator)) + name
    }

    /// What stands between a folder and a name; `nil` where nothing does.
    ///
    /// - Parameters:
    ///   - last: The last byte of the folder; `nil` if that is empty.
    ///   - holds: Whether the folder has a byte.
    @inlinable
    public static func separator(last: UInt8?, holds: (UInt8) -> Bool) -> UInt8? {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        guard let last, last != slash, last != backslash else { return nil }
        return !holds(slash) && holds(backslash) ? backslash : slash
    }
}
