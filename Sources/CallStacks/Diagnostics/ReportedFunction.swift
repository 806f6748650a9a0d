/// A function that the report itself names at a frame, as found by the device or another tool.
///
/// Devices often name the nearest symbol rather than the function, so these names are used only if
/// the lookup finds nothing better.
public struct ReportedFunction: Hashable, Sendable {
    public var name: String
    /// The number of bytes from the start of the function to the frame, according to the report.
    public var distance: UInt64?
    /// The source file, or `nil` if the report names none.
    public var file: SourceFile?
    /// The line, or 0 if it is unknown.
    public var line: UInt32
    /// The column, or 0 if it is unknown.
    public var column: UInt32
    /// Whether this call was inlined into the next one.
    public var isInlined: Bool

    public init(
        name: String, distance: UInt64? = nil, file: SourceFile? = nil, line: UInt32 = 0,
        column: UInt32 = 0, isInlined: Bool = false
    ) {
        self.name = name
        self.distance = distance
        self.file = file
        self.line = line
        self.column = column
        self.isInlined = isInlined
    }
}
