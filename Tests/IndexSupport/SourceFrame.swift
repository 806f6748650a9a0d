public import CallStacks

/// A function at a position in the code, with its texts.
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
